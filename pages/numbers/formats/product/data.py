"""Everything that the part One product shows: what a matrix reads, their product, and both in few bits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.numbers import product_parts
from tlmviz.analysis.numbers import scaling as scales
from tlmviz.analysis.numbers.rounded_model import Matrix, Simulator
from tlmviz.analysis.numbers.scaling import BLOCK, TENSOR, Scheme
from tlmviz.checks import Check
from tlmviz.checks import numbers_scaling as checks
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker

from .state import Product


@dataclass(frozen=True)
class Data:
    """A product, in few bits under the chosen scheme and under one scale for all."""

    chosen: Product

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.chosen.model)

    @property
    def scheme(self) -> Scheme:
        """What both operands are rounded under."""
        return self.chosen.rounding.scheme

    @cached_property
    def beside(self) -> Scheme:
        """What one scale for all is compared with: the chosen scheme, or where that is it, blocks."""
        return Scheme(self.scheme.format, BLOCK, self.scheme.block) if self.scheme.per == TENSOR else self.scheme

    @property
    def key(self) -> str:
        """The matrix: the chosen one, if the model has it, else the one whose input has the loudest channel."""
        chosen = self.chosen.matrix
        return chosen if chosen in self.keys else self.loudest

    @cached(8)
    def keys(model: str) -> tuple[str, ...]:
        """The keys of the model's matrices."""
        return tuple(dict.fromkeys(matrix.key for matrix in simulator(model).matrices))

    @cached(32)
    def loudest(model: str, text: str) -> str:
        """The key of the matrix that reads the channel which exceeds the median one most."""
        ids = compute.model(model).encode(text)
        found = run_in_worker(lambda: simulator(model).loudest(ids), len(ids))
        return max(found, key=found.__getitem__)

    @cached(16)
    def operands(model: str, text: str, key: str) -> tuple[torch.Tensor, Matrix]:
        """What the matrix reads [T, K], and itself. Raises BadText for an expert that nothing reaches."""
        ids = compute.model(model).encode(text)
        return run_in_worker(lambda: simulator(model).read_by(ids, key), len(ids))

    @property
    def x(self) -> torch.Tensor:
        """What the matrix reads [T, K]."""
        return self.operands[0]

    @cached(16)
    def made(model: str, text: str, key: str, scheme: Scheme) -> product_parts.Product:
        """The product in parts."""
        x, found = Data.operands(model, text, key)
        return run_in_worker(lambda: product_parts.product_parts(x, found.weight, scheme), len(x))

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """What the picture draws: maps, channels and samples."""
        found: dict[str, np.ndarray] = {}
        for name, part in self.made.parts.items():
            found |= {
                f"{name}_values": part.values,
                f"{name}_errors": part.errors,
                f"{name}_numbers": part.numbers,
                f"{name}_loud": part.loud,
                f"{name}_kept": part.kept,
                f"{name}_plain": part.plain,
            }
        found |= {f"{name}_sample": sample.values for name, sample in self.made.samples.items()}
        return {name: array.astype(np.float32) for name, array in found.items()}

    @cached_property
    def ratio(self) -> float:
        """How many times X's loudest channel exceeds the median one."""
        channels = self.x.abs().amax(0)
        return float(channels.max() / channels.median().clamp(min=1e-30))

    @cached_property
    def lost(self) -> tuple[float, float]:
        """Shares of X's numbers that become 0, under one scale for all and under the scheme beside it."""
        kept = (scales.scaled(self.x, each).restored for each in (Scheme(self.scheme.format), self.beside))
        one, other = (float(((each == 0) & (self.x != 0)).float().mean()) for each in kept)
        return one, other

    @cached_property
    def few(self) -> int:
        """How many of X's numbers hold 99% of its sum of squares."""
        squares = self.x.double().flatten().square().sort(descending=True).values.cumsum(0)
        return int((squares < 0.99 * squares[-1]).sum()) + 1

    @property
    def of_any_scale(self) -> tuple[str, int]:
        """The format, and how large a block would be."""
        return self.scheme.format, self.scheme.block

    @cached(32)
    def groupings(model: str, text: str, key: str, of_any_scale: tuple[str, int]) -> dict[str, tuple[float, ...]]:
        """Decibels and bits of the same format with a scale per tensor, channel, block."""
        x, found = Data.operands(model, text, key)
        return run_in_worker(lambda: product_parts.by_grouping(x, found.weight, *of_any_scale), len(x))

    @property
    def tokens(self) -> list[str]:
        """The text's tokens; none of an expert's matrix, which only some of them reach."""
        ids = [] if self.key.count(".") > 1 else self.lm.encode(self.chosen.text)
        return [self.lm.tokenizer.name(i) for i in ids]

    @cached(16)
    def checks(model: str, text: str) -> list[Check]:
        """The identities behind both parts that round a model."""
        lm = compute.model(model)
        ids = lm.encode(text)
        return run_in_worker(lambda: [each(lm, ids) for each in checks.ALL], len(ids))


@st.cache_resource(max_entries=2, show_spinner=False)
def simulator(model: str) -> Simulator:
    """The model's passes in few bits."""
    return Simulator(compute.model(model))
