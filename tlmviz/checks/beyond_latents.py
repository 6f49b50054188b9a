"""Identities of a latent array that reads a picture (002 sections 3.5-3.6)."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float
from torch import nn
from torch.nn import functional as F

from .. import digits
from ..recording import recording
from .registry import identity

if TYPE_CHECKING:
    from ..latents import DigitReader, ReadDigit

Image = Float[np.ndarray, "8 8"]


def reads_digits(model: Any) -> bool:
    """Whether the model is a latent array that reads digits."""
    return bool(model.task == "digits")


def read(reader: DigitReader, text: str) -> tuple[DigitReader, Image, ReadDigit]:
    """(reader, image, what it is read as) of a picture's 64 letters. Raises BadShape."""
    image = digits.read(text)
    return reader, image, reader.classify(image)


@identity(
    "Reading sums to 1",
    "each latent's weights over pixels, and over latents, sum to 1",
    1e-5,
    when=reads_digits,
    inputs=read,
)
def reading_sums_to_one(reader: DigitReader, image: Image, found: ReadDigit) -> float:
    maps = (found.head_maps, found.mixing)
    return float(max(np.abs(each.sum(-1, dtype=np.float64) - 1).max() for each in maps))


@identity(
    "Reading = softmax(QKᵀ/√d) V", "what latents read equals torch's scaled_dot_product_attention in float64", 1e-4,
    when=reads_digits, inputs=read,
)  # fmt: skip
@torch.inference_mode()
def reading_is_attention(reader: DigitReader, image: Image, found: ReadDigit) -> float:
    """002 Eq. 9-11, every layer's reading and mixing."""
    with recording() as record:
        reader.network(torch.tensor(image)[None].float() / digits.INK)
    errors = []
    for layer in range(reader.config.n_layers):
        for part in ("read", "mix"):
            q, k, v, z = (record.values[f"blocks.{layer}.{part}.{tap}"].double() for tap in "qkvz")
            errors.append((F.scaled_dot_product_attention(q, k, v) - z).abs().max().item())
    return max(errors)


@identity(
    "Muted = not there", "with latent 0 muted, the answer of a network that never had it", 1e-5,
    when=lambda model: reads_digits(model) and model.config.n_latents > 1, inputs=read,
)  # fmt: skip
@torch.inference_mode()
def muted_is_absent(reader: DigitReader, image: Image, found: ReadDigit) -> float:
    fewer = deepcopy(reader.network)
    fewer.latents = nn.Parameter(fewer.latents[1:].clone(), requires_grad=False)
    fewer.config = replace(fewer.config, n_latents=reader.config.n_latents - 1)
    scores = fewer(torch.tensor(image)[None].float() / digits.INK)
    muted = reader.classify(image, mute=(0,)).probabilities
    return float(np.abs(scores.softmax(-1)[0].cpu().numpy() - muted).max())


@identity(
    "Pixels have no order", "the pixels in another order, each with its place, give the same answer", 1e-5,
    when=reads_digits, inputs=read,
)  # fmt: skip
@torch.inference_mode()
def pixels_have_no_order(reader: DigitReader, image: Image, found: ReadDigit) -> float:
    order = torch.from_numpy(np.random.default_rng(0).permutation(digits.SIDE**2))
    shuffle = {"x": lambda x, record: x[:, order.to(x.device)]}
    with recording(keep=lambda name: False, edit=shuffle):
        scores = reader.network(torch.tensor(image)[None].float() / digits.INK)
    return float(np.abs(scores.softmax(-1)[0].cpu().numpy() - found.probabilities).max())
