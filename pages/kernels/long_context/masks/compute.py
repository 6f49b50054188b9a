"""Everything the view Masks computes, cached: what each method costs, covers and loses in place of the softmax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.kernels import sparse_methods
from tlmviz.analysis.kernels.sparse_methods import SWAPPED, Cost, Measures, Method
from tlmviz.layers.sparse import SparsePattern
from tlmviz.ui import compute

from ..compute import HASH, Passage, trace
from . import words
from .controls import FULL


@dataclass(frozen=True)
class Result:
    """One method in place of the softmax: its measures and its cost in a head, per layer, and the loss in nats per token."""

    measures: list[Measures]
    costs: list[Cost]
    loss: float

    @property
    def mass(self) -> np.ndarray:
        """Attention mass that the method covers in every head, [L, H]."""
        return np.stack([measures.mass for measures in self.measures])


def result(passage: Passage, method: Method) -> Result:
    """A method in every layer. The loss is NaN for a single token, which predicts nothing."""
    config = passage.lm.config
    measures = [measured(passage, layer, method) for layer in range(config.n_layers)]
    costs = [sparse_methods.cost(method, part.seen, len(passage.ids), config.head_dim) for part in measures]
    beginning = passage.first(SWAPPED)
    swapped = None if method == SparsePattern() else method
    return Result(measures, costs, loss(beginning, swapped) if len(beginning.ids) > 1 else float("nan"))


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=HASH)
def measured(passage: Passage, layer: int, method: Method) -> Measures:
    """What a method covers in one layer."""
    watched = trace(passage)
    return compute.run_in_worker(lambda: sparse_methods.measure(watched, layer, method), len(passage.ids))


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=HASH)
def loss(beginning: Passage, method: Method | None) -> float:
    """Nats per token of a real pass with a method in every layer, or with the model as it is, over a text's beginning."""
    lm, ids = beginning.lm, list(beginning.ids)
    return compute.run_in_worker(lambda: sparse_methods.mean_loss(lm, ids, method), len(ids))


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=HASH)
def pattern(passage: Passage, layer: int, method: Method) -> np.ndarray:
    """A method's pattern over the text, [H, n, n]."""
    watched = trace(passage)
    return compute.run_in_worker(lambda: sparse_methods.picture(watched, layer, method), len(passage.ids))


def table(passage: Passage, results: dict[str, Result]) -> pd.DataFrame:
    """All methods in numbers, one a line; operations and cache are those of all heads of all layers."""
    config = passage.lm.config
    rows = []
    for name, part in results.items():
        first = part.costs[0]
        rows.append(
            {
                "Method": name,
                "FLOP": sum(cost.flops for cost in part.costs) * config.n_heads,
                words.KEYS_SEEN: np.mean([measures.seen for measures in part.measures]),
                "Keys in cache": "state" if first.keys is None else f"{first.keys:,}",
                "Cached numbers": first.cached * config.n_layers * config.n_kv_heads,
                "Mass covered": part.mass.mean(),
                "Output error": np.mean([measures.error for measures in part.measures]),
                "Loss": part.loss,
                "Change": part.loss - results[FULL].loss,
            }
        )
    return pd.DataFrame(rows)
