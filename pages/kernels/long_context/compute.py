"""Everything that the views of the page Long context share: the stories to read, cached passes over them, and their checks."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels import long_context
from tlmviz.analysis.kernels.far_reading import far_reading
from tlmviz.analysis.kernels.long_context import Survey
from tlmviz.analysis.samples import long_sample_text
from tlmviz.checks import Check, kernels_tiles, measure
from tlmviz.checks import kernels as kernel_checks
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute
from tlmviz.ui.long_text import Ids


@dataclass(frozen=True)
class Passage:
    """A model and the ids that it reads: the cache key of everything computed on a long text."""

    model: str
    ids: Ids

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.model)

    def first(self, tokens: int) -> Passage:
        """The first tokens only."""
        return replace(self, ids=self.ids[:tokens])


# Streamlit would walk through 16,384 ids for a quarter of a second, at every look into a cache.
HASH = {Passage: hash}
HEAD_SIZE = 128  # bins of the chosen head's map


@st.cache_data(max_entries=16, show_spinner=False)
def sample(model: str, tokens: int) -> str:
    """So many tokens of the bundled stories, or all there are; the model puts one before them."""
    tokenizer = compute.model(model).tokenizer
    return tokenizer.decode(tokenizer.encode(long_sample_text())[: tokens - 1])


@st.cache_data(max_entries=16, show_spinner=False)
def stories(model: str, tokens: int, seed: int) -> str:
    """Stories that the model wrote, joined."""
    lm = compute.model(model)
    return compute.run_in_worker(lambda: long_context.write_stories(lm, tokens, seed), tokens)


# 16,384 tokens of the default model are about 240 MB.
@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=HASH)
def read(passage: Passage) -> tuple[Trace, np.ndarray, float]:
    """One pass: its trace, the loss of each next token [T - 1] in nats, and the seconds it took."""
    lm = passage.lm

    def work() -> tuple[Trace, np.ndarray, float]:
        start = time.perf_counter()
        trace = long_context.long_trace(lm, list(passage.ids))
        return trace, long_context.loss_along(lm, trace).numpy(), time.perf_counter() - start

    return compute.run_in_worker(work, len(passage.ids))


def trace(passage: Passage) -> Trace:
    """The trace of the one pass over a passage."""
    return read(passage)[0]


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=HASH)
def checks(passage: Passage) -> list[Check]:
    """The identities behind this page, on this text."""
    lm, watched = passage.lm, trace(passage)

    def work() -> list[Check]:
        case = kernels_tiles.tiles(watched)
        tiled = [kernels_tiles.tiles_are_attention(*case), kernels_tiles.order_of_tiles_is_free(*case)]
        return [*tiled, *measure(kernel_checks, lm, watched)]

    return compute.run_in_worker(work, len(passage.ids))


@st.cache_resource(max_entries=48, show_spinner=False, hash_funcs=HASH)
def survey(passage: Passage, layer: int, every: bool) -> Survey:
    """One layer's maps and distances, from `every` query or from as many as long texts allow."""
    watched, context = trace(passage), passage.lm.config.context
    rows = slice(0, None, 1) if every else None
    return compute.run_in_worker(
        lambda: long_context.survey(watched, layer, context, rows=rows), len(passage.ids)
    )


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=HASH)
def pooled(passage: Passage, layer: int, head: int) -> np.ndarray:
    """A head's pooled map, exact, from every query, [n, n]."""
    watched = trace(passage)
    return compute.run_in_worker(
        lambda: watched.pooled(layer, head, min(HEAD_SIZE, len(watched))).numpy(), len(passage.ids)
    )


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=HASH)
def far_heads(passage: Passage) -> np.ndarray:
    """How much every head puts on one far token, the mean over the text, [L, H]."""
    layers, length = passage.lm.config.n_layers, len(passage.ids)
    return np.stack([far_reading(survey(passage, layer, False).pictures, length) for layer in range(layers)])


def row_of(passage: Passage, layer: int, head: int, query: int) -> np.ndarray:
    """Exact weights of one query on all tokens up to itself, [query + 1]."""
    watched, rows = trace(passage), slice(query, query + 1)
    return compute.run_in_worker(
        lambda: watched.attention(layer, head, rows=rows, cols=slice(0, query + 1))[0].numpy()
    )
