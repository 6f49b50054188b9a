"""What the view Depth shows: products of mixing matrices, a forward and a backward pass, and simulated stacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from pages.streams.mhc.data import Data
from pages.streams.mhc.state import AVERAGE, ONE
from tlmviz.analysis.streams import depth as analysis
from tlmviz.analysis.streams.depth import Depth, Passed
from tlmviz.ui import compute as shared

RUNS = 200  # stacks drawn by the simulation
QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Deep(Data):
    """What becomes of streams through depth, in every model of a family."""

    @cached_property
    def depths(self) -> dict[str, Depth]:
        """Connection -> every product of the model's matrices, at every token."""
        return {kind: _products(model, self.chosen.text) for kind, model in self.family.items()}

    @cached_property
    def gains(self) -> dict[str, float]:
        """Connection -> the gain of all matrices together, as is chosen: of the token, on average, or the largest."""
        over = {ONE: lambda all_: all_[self.token], AVERAGE: torch.mean}.get(self.chosen.over, torch.amax)
        return {kind: float(over(getattr(depth, self.chosen.gain)[:, 0, -1])) for kind, depth in self.depths.items()}

    @property
    def left(self) -> float | None:
        """Of mHC, what remains of a difference between streams after all sublayers, at most over all tokens."""
        depth = self.depths.get("manifold")
        return None if depth is None else float(depth.singular[:, -1, 1].max())

    @cached_property
    def passed(self) -> dict[str, Passed]:
        """Connection -> the model's forward and backward pass on the text."""
        return {kind: _passed(model, self.chosen.text) for kind, model in self.family.items()}

    def simulated(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Connection -> quantiles of the log10 gains of randomly drawn stacks, [3, S] forward and backward."""
        place = self.chosen.text, self.chosen.layers, self.chosen.seed
        return {kind: _simulated(model, *place) for kind, model in self.family.items()}


@st.cache_resource(max_entries=9, show_spinner=False)
def _products(model: str, text: str) -> Depth:
    res = Data.mixing(model, text).res
    return shared.run_in_worker(lambda: analysis.depth(res), shared.about(text))


@st.cache_resource(max_entries=18, show_spinner=False)
def _passed(model: str, text: str) -> Passed:
    lm, ids = shared.model(model), shared.trace(model, text).ids
    return shared.run_in_worker(lambda: analysis.passed(lm, ids), shared.about(text), gradients=True)


@st.cache_resource(max_entries=18, show_spinner=False)
def _simulated(model: str, text: str, layers: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    res, shares = Data.mixing(model, text).res, torch.tensor(QUANTILES, dtype=torch.float64)
    gains = shared.run_in_worker(lambda: analysis.simulated(res, 2 * layers, RUNS, seed), shared.about(text))
    forward, backward = (gain.quantile(shares, 0).numpy() for gain in gains)
    return forward, backward
