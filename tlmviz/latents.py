"""A trained latent array that reads handwritten digits: what `tlmviz.load("digits-perceiver")` returns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float

from . import kernels
from .config import LatentsConfig
from .digits import INK
from .errors import BadShape, UnknownName
from .kernels import AttentionMask
from .networks.latents import LatentReader
from .recording import recording


@dataclass(frozen=True)
class ReadDigit:
    """What a picture is read as, and how: L layers, H heads, M latents, N pixels row by row.

    `probabilities` [10]; `maps` [L, M, N], each latent's weights over the pixels, the mean of the heads in `head_maps`
    [L, H, M, N]; `mixing` [L, H, M, M], each latent's weights over the latents (0 on muted ones). Rows sum to 1.
    """

    probabilities: Float[np.ndarray, " k"]
    head_maps: Float[np.ndarray, "l h m n"] = field(repr=False)
    mixing: Float[np.ndarray, "l h m m"] = field(repr=False)

    @property
    def digit(self) -> int:
        """The most probable digit."""
        return int(self.probabilities.argmax())

    @property
    def maps(self) -> Float[np.ndarray, "l m n"]:
        """Weights over the pixels, the heads' mean."""
        return self.head_maps.mean(1)


class DigitReader:
    """A few latents that read a picture of a digit, then one another, layer after layer (002 sections 3.5-3.6)."""

    task: ClassVar[str] = "digits"
    # A held-out 3, as `tlmviz.digits.written` writes it.
    default_text: ClassVar[str] = "008g800000g6f10004a0c2000007g3000005dg3000000b6000c99g20008gf700"

    def __init__(self, network: LatentReader):
        self.network = network
        self.name = network.config.name

    @property
    def config(self) -> LatentsConfig:
        """The network's configuration."""
        return self.network.config

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.network.device

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        return f"{self.n_parameters / 1e6:.2f} M parameters, {self.config.n_latents} latents, {self.config.n_layers} layers"

    @cached_property
    def n_parameters(self) -> int:
        """Trained numbers."""
        return sum(p.numel() for p in self.network.parameters())

    @torch.inference_mode()
    def classify(self, image: Any, mute: Collection[int] = ()) -> ReadDigit:
        """Read a picture [8, 8] of numbers from 0, paper, to 16, ink. `mute` are latents that take no part: no other one sees
        them, and the answer leaves them out.

        Raises BadShape for what is no picture, and for an empty one; UnknownName for latents that are not there, or none left.
        """
        side = self.config.side
        picture = checked(image, side)
        kept = self._kept(mute)
        with recording() as record:
            scores = self.network(torch.from_numpy(picture)[None].float() / INK, kept)
        seen = AttentionMask(causal=False)
        among = seen if kept is None else self.network.among(kept)
        taps = record.values
        return ReadDigit(
            kernels.softmax(scores)[0].cpu().numpy(),
            *(
                np.stack([_map(taps, f"blocks.{i}.{part}", mask) for i in range(self.config.n_layers)])
                for part, mask in (("read", seen), ("mix", among))
            ),
        )

    @torch.inference_mode()
    def predict(
        self, images: Float[np.ndarray, "n 8 8"], mute: Collection[int] = ()
    ) -> Float[np.ndarray, "n k"]:
        """Probabilities of the digits for many pictures at once. Raises as `classify` does."""
        pictures = np.stack([checked(image, self.config.side) for image in images])
        scores = self.network(torch.from_numpy(pictures).float() / INK, self._kept(mute))
        return kernels.softmax(scores).cpu().numpy()

    def _kept(self, mute: Collection[int]) -> torch.Tensor | None:
        """Which latents are not muted; None for all."""
        number = self.config.n_latents
        for latent in mute:
            if not (isinstance(latent, int | np.integer) and 0 <= latent < number):
                raise UnknownName(
                    f"There is no latent {latent!r} in {self.name}; choose from 0 to {number - 1}."
                )
        if len(set(mute)) == number:
            raise UnknownName(f"All {number} latents are muted; leave at least one to read the picture.")
        if not mute:
            return None
        kept = torch.ones(number, dtype=torch.bool, device=self.device)
        kept[list(mute)] = False
        return kept


def _map(taps: dict[str, torch.Tensor], name: str, mask: AttentionMask) -> Float[np.ndarray, "h m s"]:
    """One attention's map, recomputed from what its taps kept."""
    return (
        kernels.attention_map(taps[f"{name}.q"], taps[f"{name}.k"], taps[f"{name}.lse"], mask)[0]
        .cpu()
        .numpy()
    )


def checked(image: Any, side: int) -> Float[np.ndarray, "n n"]:
    """A picture as float64. Raises BadShape."""
    if isinstance(image, torch.Tensor):
        image = image.detach().cpu().numpy()
    try:
        picture = np.array(image, np.float64)  # a copy: torch wants arrays that could be written
    except (TypeError, ValueError) as error:
        raise BadShape(
            f"The picture is no table of numbers ({error}); give {side} rows of {side} numbers from 0 to {INK}."
        ) from error
    if picture.shape != (side, side):
        raise BadShape(
            f"The picture has shape {list(picture.shape)}; give [{side}, {side}], a number per pixel."
        )
    if not np.isfinite(picture).all():
        raise BadShape(f"The picture has pixels that are no finite numbers; each must be from 0 to {INK}.")
    if picture.min() < 0 or picture.max() > INK:
        raise BadShape(
            f"The picture's pixels go from {picture.min():g} to {picture.max():g}; they must be from 0, paper, to {INK}, ink."
        )
    if not picture.any():
        raise BadShape("The picture is empty, all of its pixels are 0; draw a digit.")
    return picture
