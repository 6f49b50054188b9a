"""Everything that the part Masks shows, cached: what each method costs, covers, loses and still finds in place of the
softmax."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels import needle, sparse_methods
from tlmviz.analysis.kernels.sparse_methods import SWAPPED, Cost, Measures, Method
from tlmviz.errors import BadShape
from tlmviz.layers import linear
from tlmviz.layers.sparse import SparsePattern
from tlmviz.ui import compute

from ..data import HASH, Passage, Text, trace
from .state import FULL, METHODS, Sparse


@dataclass(frozen=True)
class Result:
    """One method in place of the softmax: its measures and its cost in a head, per layer, and the loss in nats per
    token."""

    measures: list[Measures]
    costs: list[Cost]
    loss: float

    @property
    def mass(self) -> np.ndarray:
        """Attention mass that the method covers in every head, [L, H]."""
        return np.stack([measures.mass for measures in self.measures])


@dataclass(frozen=True)
class Row:
    """One method in numbers; operations and cache are those of all heads of all layers. `keys` in the cache: None for a
    state."""

    method: str
    flops: float
    seen: float
    keys: int | None
    cached: int
    mass: float
    error: float
    loss: float
    change: float


@dataclass(frozen=True)
class Data:
    """A text that was read, and the methods that are compared on it."""

    found: Text
    chosen: Sparse
    passage: Passage

    @cached_property
    def asked(self) -> tuple[dict[str, Method], list[BadShape]]:
        """The methods by name, full attention the first; and why others are left out."""
        methods: dict[str, Method] = {FULL: SparsePattern()}
        refused = []
        for name in self.chosen.methods:
            try:
                methods[name] = METHODS[name](self.chosen)
            except BadShape as error:
                refused.append(error)
        return methods, refused

    @property
    def methods(self) -> dict[str, Method]:
        return self.asked[0]

    @property
    def pattern(self) -> str:
        """The method whose pattern is drawn: the first that is compared, while none is chosen."""
        names = list(self.methods)
        return self.chosen.pattern if self.chosen.pattern in names else names[min(1, len(names) - 1)]

    @property
    def method(self) -> Method:
        return self.methods[self.pattern]

    @property
    def linear(self) -> bool:
        """Whether that is linear attention, which has no mask."""
        return isinstance(self.method, linear.LINEAR)

    @property
    def cells(self) -> np.ndarray:
        """Its pattern over the text in the head that is opened, [n, n]."""
        layer, head = self.found.head
        return pattern(self.passage, layer, self.method)[head]

    def result(self, method: Method) -> Result:
        """One method's result."""
        return result(self.passage, method)

    @cached_property
    def results(self) -> dict[str, Result]:
        """Every method's."""
        return {name: self.result(method) for name, method in self.methods.items()}

    @cached_property
    def rows(self) -> list[Row]:
        """All methods in numbers, full attention the first."""
        config, found = self.passage.lm.config, []
        for name, part in self.results.items():
            first, full = part.costs[0], self.results[FULL].loss
            found.append(
                Row(
                    name,
                    sum(cost.flops for cost in part.costs) * config.n_heads,
                    float(np.mean([measures.seen for measures in part.measures])),
                    first.keys,
                    first.cached * config.n_layers * config.n_kv_heads,
                    float(part.mass.mean()),
                    float(np.mean([measures.error for measures in part.measures])),
                    part.loss,
                    part.loss - full,
                )
            )
        return found

    def gain(self, method: Method) -> np.ndarray:
        """What the first occurrence of names gains at every distance; ten passes."""
        return gains(self.found.chosen.model, method)

    @property
    def gains(self) -> dict[str, np.ndarray]:
        """The same by method."""
        return {name: self.gain(method) for name, method in self.methods.items()}


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
    """Nats per token of a real pass with a method in every layer, or with the model as it is, over a text's
    beginning."""
    lm, ids = beginning.lm, list(beginning.ids)
    return compute.run_in_worker(lambda: sparse_methods.mean_loss(lm, ids, method), len(ids))


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=HASH)
def pattern(passage: Passage, layer: int, method: Method) -> np.ndarray:
    """A method's pattern over the text, [H, n, n]."""
    watched = trace(passage)
    return compute.run_in_worker(lambda: sparse_methods.picture(watched, layer, method), len(passage.ids))


@st.cache_data(max_entries=64, show_spinner=False)
def gains(model: str, method: Method) -> np.ndarray:
    """What the first occurrence gains at every distance, [D] nats per token. Raises BadText."""
    lm, swapped = compute.model(model), None if method == SparsePattern() else method
    measured = [
        compute.run_in_worker(partial(needle.gain, lm, swapped, distance), distance) for distance in needle.DISTANCES
    ]
    return np.array(measured)
