"""Everything that the part Lightning indexer shows: scores, choices, recall, losses, checks, and rounded q and k,
cached."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.kernels import indexer as analysis
from tlmviz.analysis.kernels.index_cost import Sizes
from tlmviz.checks import Check, kernels_index
from tlmviz.facades.language_model import LanguageModel
from tlmviz.layers.indexer import Indexers
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute, link

from ..data import Text
from .state import Indexing

INDEXER, TEACHER = "stories-rope-indexer", "stories-rope"
CELLS = 128  # rows and columns of a picture; longer maps are pooled


@dataclass(frozen=True)
class Maps:
    """Softmax of the index scores, true mass and chosen cells, [N, N] each with NaN where hidden, and tokens per
    cell."""

    index: np.ndarray
    mass: np.ndarray
    chosen: np.ndarray
    cell: float


@dataclass(frozen=True)
class Point:
    """A text that the model reads, a layer, and how many keys k each query attends to."""

    model: str
    text: str
    layer: int
    k: int

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return compute.model(self.model)


@dataclass(frozen=True)
class Data:
    """A text as far as the indexer was distilled on, and what is asked of it."""

    found: Text
    chosen: Indexing
    text: str

    @property
    def model(self) -> str:
        return self.found.chosen.model

    @property
    def trace(self) -> Trace:
        return trace(self.model, self.text)

    @property
    def length(self) -> int:
        return len(self.trace)

    @property
    def k(self) -> int:
        """At most all keys that there are."""
        return min(self.chosen.k, self.length)

    @property
    def layer(self) -> int:
        """The chosen one; while none is, the one whose attention the indexer's keys cover best, or that of the page's
        head."""
        layers = self.found.lm.config.n_layers
        if self.chosen.layer is not None and self.chosen.layer < layers:
            return self.chosen.layer
        if link.head_is_free():
            return int(self.recall["indexer"][:, self.k - 1].argmax())
        return self.found.head[0]

    @property
    def point(self) -> Point:
        return Point(self.model, self.text, self.layer, self.k)

    @property
    def query(self) -> int:
        """The pinned one, or the last."""
        pinned = self.found.query
        if pinned is None or pinned >= self.found.lm.config.context:
            return self.length - 1
        return min(max(pinned, 0), self.length - 1)

    @property
    def indexers(self) -> Indexers:
        """What scores. Raises what `load_indexer` does."""
        return indexers()

    @property
    def maps(self) -> Maps:
        """What it scores, what the attention weighs, and what is chosen."""
        return maps(self.point)

    @property
    def row(self) -> tuple[np.ndarray, np.ndarray]:
        """The query's true mass on the keys it sees, and which of them are chosen."""
        return row(self.point, self.query)

    @property
    def precision(self) -> dict[str, analysis.Precision]:
        """q and k before and after the rotation, and their error in a format."""
        return precision(self.point, replace(self.chosen, k=1, layer=None))  # those change no rounding

    @cached_property
    def recall(self) -> dict[str, np.ndarray]:
        """How much of the mass k keys hold, by who chooses them, [L, T] each."""
        return recall(self.model, self.text)

    @cached_property
    def losses(self) -> dict[str, float]:
        """Dense and sparse losses in nats per token. Raises BadShape for one token."""
        return losses(self.model, self.text, self.k)

    @property
    def sizes(self) -> Sizes:
        """What one layer's attention and its indexer are made of."""
        config, own = self.found.lm.config, indexers().config
        return Sizes(config.n_heads, config.head_dim, config.head_dim, own.heads, own.head_dim)


@st.cache_resource(show_spinner=False)
def indexers() -> Indexers:
    """The bundled indexer. Raises what `load_indexer` does."""
    return analysis.load_indexer(INDEXER)


@st.cache_resource(max_entries=8, show_spinner=False)
def trace(model: str, text: str) -> Trace:
    """One pass with the attention's inputs kept, at most the model's context."""
    lm = compute.model(model)
    ids = lm.encode(text)
    return compute.run_in_worker(lambda: analysis.trace_for_indexer(lm, ids), compute.about(text))


@st.cache_resource(max_entries=32, show_spinner=False)
def maps(choice: Point) -> Maps:
    """What the indexer scores, what the attention weighs, and what is chosen, in one layer."""
    watched, scorer = trace(choice.model, choice.text), indexers()

    @torch.inference_mode()
    def work() -> Maps:
        index = analysis.index_scores(watched, scorer, choice.layer).softmax(-1)
        chosen = analysis.choice(watched, scorer, choice.layer, choice.k).float()
        parts = (index, analysis.mass(watched, choice.layer), chosen)
        return Maps(*map(pooled, parts), len(watched) / min(len(watched), CELLS))

    return compute.run_in_worker(work, compute.about(choice.text))


@st.cache_data(max_entries=64, show_spinner=False)
def row(choice: Point, position: int) -> tuple[np.ndarray, np.ndarray]:
    """One query's true mass on the keys it sees, and which of them are chosen, [position + 1] each."""
    watched, scorer, rows = trace(choice.model, choice.text), indexers(), slice(position, position + 1)

    @torch.inference_mode()
    def work() -> tuple[np.ndarray, np.ndarray]:
        chosen = analysis.choice(watched, scorer, choice.layer, choice.k)[rows]
        mass = analysis.mass(watched, choice.layer, rows)
        return mass[0, : position + 1].numpy(), chosen[0, : position + 1].numpy()

    return compute.run_in_worker(work, compute.about(choice.text))


@st.cache_data(max_entries=16, show_spinner=False)
def recall(model: str, text: str) -> dict[str, np.ndarray]:
    """`analysis.recall` as arrays, [L, T] each."""
    watched, scorer = trace(model, text), indexers()
    return compute.run_in_worker(
        lambda: {how: curve.numpy() for how, curve in analysis.recall(watched, scorer).items()}, compute.about(text)
    )


@st.cache_data(max_entries=64, show_spinner=False)
def losses(model: str, text: str, k: int) -> dict[str, float]:
    """Dense and sparse losses in nats per token."""
    lm, watched, scorer = compute.model(model), trace(model, text), indexers()
    return compute.run_in_worker(lambda: analysis.sparse_losses(lm, watched.ids, k, scorer), compute.about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def checks(model: str, text: str, layer: int) -> list[Check]:
    """The indexer's identities on this text."""
    lm, watched, scorer = compute.model(model), trace(model, text), indexers()
    return compute.run_in_worker(
        lambda: [
            kernels_index.rotation_keeps_products(lm, watched, scorer, layer),
            kernels_index.every_key_is_dense(lm, watched, scorer),
            kernels_index.every_key_is_dense_loss(lm, watched, scorer),
        ],
        compute.about(text),
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def precision(choice: Point, rounding: Indexing) -> dict[str, analysis.Precision]:
    """q and k before and after the rotation, and their error in a format."""
    watched, scorer = trace(choice.model, choice.text), indexers()
    return compute.run_in_worker(
        lambda: analysis.precision(
            watched, scorer, choice.layer, choice.k, rounding.format, rounding.rotation, rounding.outlier
        ),
        compute.about(choice.text),
    )


def pooled(values: torch.Tensor) -> np.ndarray:
    """[T, T] to at most [CELLS, CELLS] by maximum; cells that hold no visible pair are NaN."""
    length = len(values)
    size = min(length, CELLS)
    result = torch.nn.functional.adaptive_max_pool2d(values[None], size)[0]
    start = torch.arange(size) * length // size
    stop = -(-(torch.arange(size) + 1) * length // size)
    return result.masked_fill(start[None] >= stop[:, None], torch.nan).numpy()
