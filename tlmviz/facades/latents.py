"""A trained latent array that reads handwritten digits: what `tlmviz.load("digits-perceiver")` returns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float

from .. import kernels
from ..config import LatentsConfig
from ..digits import INK, NOTHING
from ..errors import UnknownName
from ..kernels import AttentionMask
from ..networks.latents import LatentReader
from ..recording import recording
from .base import Facade
from .scenes.grid import compose

TOGETHER = 64  # pictures of one pass


@dataclass(frozen=True)
class ReadDigits:
    """What the nine cells of a picture are read as, and how: L layers, H heads, M latents, N pixels row by row.

    `probabilities` [9, 11] of the ten digits and of nothing in each cell; `maps` [L, M, N], each latent's weights over
    the pixels, the mean of the heads in `head_maps` [L, H, M, N]; `mixing` [L, H, M, M], each latent's weights over the
    latents (0 on muted ones); `answering` [H, 9, M], the weights over the latents with which each cell's answer is
    made. Rows sum to 1.
    """

    probabilities: Float[np.ndarray, "o k"]
    head_maps: Float[np.ndarray, "l h m n"] = field(repr=False)
    mixing: Float[np.ndarray, "l h m m"] = field(repr=False)
    answering: Float[np.ndarray, "h o m"] = field(repr=False)

    @property
    def digits(self) -> list[int | None]:
        """The most probable digit of each cell, row by row; None where that is nothing."""
        return [None if best == NOTHING else int(best) for best in self.probabilities.argmax(-1)]

    @property
    def maps(self) -> Float[np.ndarray, "l m n"]:
        """Weights over the pixels, the heads' mean."""
        mean: np.ndarray = self.head_maps.mean(1)
        return mean


class DigitReader(Facade[LatentReader, LatentsConfig]):
    """A few latents that read a picture of up to nine digits, then one another, layer after layer (002 sections
    3.5-3.6)."""

    task: ClassVar[str] = "digits"
    default_text: ClassVar[str] = "374058291"

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        return (
            f"{self.n_parameters / 1e6:.2f} M parameters, {self.config.n_latents} latents, {self.config.n_layers} "
            "layers"
        )

    @torch.inference_mode()
    def classify(self, grid: Any, mute: Collection[int] = ()) -> ReadDigits:
        """Read a grid of 3 rows of 3 cells ([8, 8] images of numbers from 0, paper, to 16, ink, or None). `mute` are
        latents that take no part: neither another one nor the answer sees them.

        Raises BadShape for a grid of another form or a blank one; UnknownName for latents that are not there, or none
        left.
        """
        picture, kept = compose(grid), self._kept(mute)
        with recording() as record:
            scores = self.network(torch.from_numpy(picture)[None].float() / INK, kept)
        seen = AttentionMask(causal=False)
        among = seen if kept is None else self.network.among(kept)
        taps, layers = record.values, range(self.config.n_layers)
        return ReadDigits(
            kernels.softmax(scores)[0].cpu().numpy(),
            np.stack([_map(taps, f"blocks.{i}.read", seen) for i in layers]),
            np.stack([_map(taps, f"blocks.{i}.mix", among) for i in layers]),
            _map(taps, "answer.read", among),
        )

    @torch.inference_mode()
    def predict(self, pictures: Float[np.ndarray, "n 24 24"], mute: Collection[int] = ()) -> Float[np.ndarray, "n o k"]:
        """Probabilities of what is in the cells of many pictures of numbers from 0 to 16. Raises UnknownName as
        `classify`."""
        kept = self._kept(mute)
        parts = (torch.from_numpy(pictures).float() / INK).split(TOGETHER)
        return np.concatenate([kernels.softmax(self.network(part, kept)).cpu().numpy() for part in parts])

    def _kept(self, mute: Collection[int]) -> torch.Tensor | None:
        """Which latents are not muted; None for all."""
        number = self.config.n_latents
        for latent in mute:
            if not (isinstance(latent, int | np.integer) and 0 <= latent < number):
                raise UnknownName(f"There is no latent {latent!r} in {self.name}; choose from 0 to {number - 1}.")
        if len(set(mute)) == number:
            raise UnknownName(f"All {number} latents are muted; leave at least one to read the picture.")
        if not mute:
            return None
        kept = torch.ones(number, dtype=torch.bool, device=self.device)
        kept[list(mute)] = False
        return kept


def _map(taps: dict[str, torch.Tensor], name: str, mask: AttentionMask) -> Float[np.ndarray, "h m s"]:
    """One attention's map, recomputed from what its taps kept."""
    return kernels.attention_map(taps[f"{name}.q"], taps[f"{name}.k"], taps[f"{name}.lse"], mask)[0].cpu().numpy()
