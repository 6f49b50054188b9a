"""What the Sinkhorn dial shows: the logits of a model, or a typed matrix and what scaling can do with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from pages.streams.mhc.data import Data
from pages.streams.mhc.state import ITERATIONS
from tlmviz import kernels
from tlmviz.analysis.streams import mixing, scaling_support
from tlmviz.analysis.streams.scaling_support import Support
from tlmviz.checks import Check, streams_dial
from tlmviz.ui import compute as shared


@dataclass(frozen=True)
class Matrix:
    """A typed matrix that can be read: its text, and whether the numbers are "logits" or "entries"."""

    text: str
    kind: str

    @cached_property
    def logits(self) -> np.ndarray:
        """Raises BadShape for what cannot be read."""
        return scaling_support.parse(self.text, self.kind)

    @property
    def words(self) -> list[list[str]]:
        return scaling_support.words(self.text)

    @cached_property
    def support(self) -> Support:
        return scaling_support.support(self.logits > -np.inf)


@dataclass(frozen=True)
class Dial(Data):
    """A model's logits at a token and a sublayer, or a `typed` matrix: the last that could be read."""

    typed: Matrix | None = None

    @property
    def logits(self) -> torch.Tensor | None:
        """What Sinkhorn makes H_res of, at every sublayer and token, [P, T, N, N]; None for models without."""
        return logits(self.chosen.model, self.chosen.text)

    @cached_property
    def iterates(self) -> torch.Tensor:
        """The matrix after 0, 1, ... iterations at the chosen temperature, [K + 1, N, N]."""
        raw = self.logits[self.sublayer, self.token] if self.typed is None else torch.from_numpy(self.typed.logits)
        return kernels.sinkhorn_iterates(raw.double() / self.chosen.temperature, ITERATIONS)

    @cached_property
    def residuals(self) -> list[float]:
        """How far a sum is from 1 at most, after 0, 1, ... iterations."""
        return scaling_support.residuals(self.iterates).tolist()

    @property
    def left(self) -> float:
        """How far a row sum is from 1 at most behind the model's own iterations, on this text."""
        return _left(self.chosen.model, self.chosen.text)

    @cached_property
    def judged(self) -> list[Check]:
        """The model's identities; or what holds of a typed matrix: nothing negative; columns exact, unless one is all
        zeros."""
        if self.typed is None:
            return self.checks
        values = torch.from_numpy(self.typed.logits)
        checks = [streams_dial.entries_stay_positive(values, ITERATIONS)]
        if (self.typed.logits > -np.inf).any(0).all():
            checks.append(streams_dial.columns_end_exact(values, ITERATIONS))
        return checks


@st.cache_resource(max_entries=16, show_spinner=False)
def logits(model: str, text: str) -> torch.Tensor | None:
    """The logits of a model on a text, [P, T, N, N]; None for models without."""
    trace = shared.trace(model, text)
    taps = [f"{place}.logits" for place in mixing.places(trace.n_layers)]
    if taps[0] not in trace.tap_names:
        return None
    tensors = shared.run_in_worker(lambda: trace.tensors(taps), shared.about(text))
    return torch.cat([tensors[tap] for tap in taps])


@st.cache_resource(max_entries=16, show_spinner=False)
def _left(model: str, text: str) -> float:
    iterations = shared.model(model).config.connection.iterations
    return float(kernels.sinkhorn_errors(kernels.sinkhorn(logits(model, text), iterations))[0].max())
