"""Everything that the part Whole model shows: what a pass in few bits loses on a text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.numbers import rounded_model
from tlmviz.analysis.numbers.rounded_model import ACTIVATIONS, BOTH, WEIGHTS, Loss, Setting
from tlmviz.analysis.numbers.scaling import KEYS, PER, Scheme
from tlmviz.checks import Check
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker

from ..product.data import Data as Product
from ..product.data import simulator
from .state import Whole

SMALL = 1e9  # parameters times tokens: passes of this size are made by the dozen, unasked
HEAD = "head"


@dataclass(frozen=True)
class Data:
    """A pass in few bits, and others beside it where they take a moment only."""

    chosen: Whole

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.chosen.model)

    @cached_property
    def setting(self) -> Setting:
        """What is rounded, of what this model has."""
        chosen, layers = self.chosen, range(self.lm.config.n_layers)
        there = self.parts
        return Setting(
            chosen.rounding.scheme,
            chosen.sides,
            tuple(part for part in chosen.parts if part in there),
            tuple(layer for layer in chosen.layers if layer in layers),
        )

    @cached(8)
    def parts(model: str) -> tuple[str, ...]:
        """What the model's matrices are for."""
        there = {matrix.part for matrix in simulator(model).matrices}
        return tuple(part for part in rounded_model.PARTS if part in there)

    @cached_property
    def loss(self) -> Loss:
        """What the pass loses. Raises BadText for a text of one token."""
        return self.of(self.setting)

    @property
    def scheme(self) -> Scheme:
        """What a matrix is rounded under."""
        return self.setting.scheme

    def of(self, setting: Setting) -> Loss:
        """What another pass loses."""
        return _loss(self.chosen.model, self.chosen.text, setting)

    @property
    def moved(self) -> float:
        """Mean KL of all predictions, in nats."""
        return float(self.loss.divergence.mean())

    @property
    def counts(self) -> tuple[int, int]:
        """How many matrices are rounded, and how many there are."""
        every = simulator(self.chosen.model).matrices
        return sum(map(self.setting.rounds, every)), len(every)

    @property
    def quick(self) -> bool:
        """Whether dozens of passes take a moment only."""
        return self.lm.n_parameters * len(self.lm.encode(self.chosen.text)) < SMALL

    @cached_property
    def by_side(self) -> dict[str, float] | None:
        """Mean KL with weights alone and activations alone rounded; None where both sides are not, or it takes long."""
        if not self.quick or self.setting.sides != BOTH:
            return None
        return {
            side: float(self.of(replace(self.setting, sides=side)).divergence.mean()) for side in (WEIGHTS, ACTIVATIONS)
        }

    @property
    def every(self) -> dict[str, dict[str, Loss]]:
        """Every format, with a scale per tensor, channel and block: the losses, on the same products."""
        block = self.setting.scheme.block
        return {
            format: {per: self.of(replace(self.setting, scheme=Scheme(format, per, block))) for per in PER}
            for format in KEYS
        }

    @property
    def names(self) -> list[str]:
        """The kinds of matrices that layers have."""
        return [part for part in self.parts if part != HEAD]

    @cached(16)
    def alone(model: str, text: str, scheme: Scheme, sides: str) -> np.ndarray:
        """KL in nats with one kind of matrix of one layer rounded at a time, [kinds, layers]; NaN where there is
        none."""
        there = {(matrix.part, matrix.layer) for matrix in simulator(model).matrices}
        names = [part for part in Data.parts(model) if part != HEAD]
        layers = range(compute.model(model).config.n_layers)
        found = [
            [
                _loss(model, text, Setting(scheme, sides, (part,), (layer,))).divergence.mean()
                if (part, layer) in there
                else np.nan
                for layer in layers
            ]
            for part in names
        ]
        return np.array(found)

    @property
    def head_alone(self) -> float:
        """KL in nats with the head alone rounded, which is in no layer."""
        setting = Setting(self.setting.scheme, self.setting.sides, (HEAD,))
        return float(self.of(setting).divergence.mean())

    @property
    def tokens(self) -> list[str]:
        """The text's tokens."""
        return [self.lm.tokenizer.name(i) for i in self.lm.encode(self.chosen.text)]

    @property
    def checks(self) -> list[Check]:
        """The identities behind both parts that round a model."""
        return Product.checks(self.chosen.model, self.chosen.text)


@st.cache_resource(max_entries=2, show_spinner=False)
def _exact(model: str, text: str) -> torch.Tensor:
    ids = compute.model(model).encode(text)
    return run_in_worker(lambda: simulator(model).logits(ids), len(ids))


@st.cache_resource(max_entries=128, show_spinner=False)
def _loss(model: str, text: str, setting: Setting) -> Loss:
    lm, before = compute.model(model), _exact(model, text)
    ids = lm.encode(text)
    return run_in_worker(lambda: rounded_model.loss(lm, ids, before, simulator(model).logits(ids, setting)), len(ids))
