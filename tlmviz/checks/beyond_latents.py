"""Identities of a latent array that reads a picture (002 sections 3.5-3.6)."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from .. import digits
from ..facades.scenes.grid import compose, held_out_grid
from ..facades.scenes.language import read_cells
from ..recording import recording
from .registry import identity

if TYPE_CHECKING:
    from ..facades.latents import DigitReader, ReadDigits

Grid = list[list[Any]]


def reads_digits(model: Any) -> bool:
    """Whether the model is a latent array that reads digits."""
    return bool(model.task == "digits")


def read(reader: DigitReader, text: str) -> tuple[DigitReader, Grid, ReadDigits]:
    """(reader, grid, what it is read as) of nine cells, "37.0...91". Raises BadText."""
    grid = held_out_grid(read_cells(text))
    return reader, grid, reader.classify(grid)


def scores_of(network: Any, grid: Grid) -> torch.Tensor:
    """What a network says of a grid's cells, [9, 11]."""
    scores: torch.Tensor = network(torch.from_numpy(compose(grid))[None].float() / digits.INK)[0]
    return scores


@identity(
    "Reading sums to 1",
    "each latent's weights over pixels and over latents, and each answer's over latents, sum to 1",
    1e-5,
    when=reads_digits,
    inputs=read,
)
def reading_sums_to_one(reader: DigitReader, grid: Grid, found: ReadDigits) -> float:
    maps = (found.head_maps, found.mixing, found.answering)
    return float(max(np.abs(each.sum(-1, dtype=np.float64) - 1).max() for each in maps))


@identity(
    "Reading = softmax(QKᵀ/√d) V",
    "what latents read equals torch's scaled_dot_product_attention in float64",
    1e-4,
    when=reads_digits,
    inputs=read,
)
@torch.inference_mode()
def reading_is_attention(reader: DigitReader, grid: Grid, found: ReadDigits) -> float:
    """002 Eq. 9-11, every layer's reading and mixing, and the answer."""
    with recording() as record:
        scores_of(reader.network, grid)
    errors = []
    layers = [f"blocks.{layer}.{part}" for layer in range(reader.config.n_layers) for part in ("read", "mix")]
    for part in (*layers, "answer.read"):
        q, k, v, z = (record.values[f"{part}.{tap}"].double() for tap in "qkvz")
        errors.append((F.scaled_dot_product_attention(q, k, v) - z).abs().max().item())
    return max(errors)


@identity(
    "Muted = not there",
    "with latent 0 muted, the answer of a network that never had it",
    1e-5,
    when=lambda model: reads_digits(model) and model.config.n_latents > 1,
    inputs=read,
)
@torch.inference_mode()
def muted_is_absent(reader: DigitReader, grid: Grid, found: ReadDigits) -> float:
    fewer = deepcopy(reader.network)
    fewer.latents = nn.Parameter(fewer.latents[1:].clone(), requires_grad=False)
    fewer.config = replace(fewer.config, n_latents=reader.config.n_latents - 1)
    scores = scores_of(fewer, grid)
    muted = reader.classify(grid, mute=(0,)).probabilities
    return float(np.abs(scores.softmax(-1).cpu().numpy() - muted).max())


@identity(
    "Pixels have no order",
    "the pixels in another order, each with its place, give the same answer",
    1e-5,
    when=reads_digits,
    inputs=read,
)
@torch.inference_mode()
def pixels_have_no_order(reader: DigitReader, grid: Grid, found: ReadDigits) -> float:
    order = torch.from_numpy(np.random.default_rng(0).permutation(reader.config.side**2))
    shuffle = {"x": lambda x, record: x[:, order.to(x.device)]}
    with recording(keep=lambda name: False, edit=shuffle):
        scores = scores_of(reader.network, grid)
    return float(np.abs(scores.softmax(-1).cpu().numpy() - found.probabilities).max())
