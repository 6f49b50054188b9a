"""What all parts of the page Long context share: the text that is read, cached passes over it, and their checks."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels import long_context
from tlmviz.analysis.kernels.long_context import LONGEST, Survey
from tlmviz.analysis.samples import long_sample_text
from tlmviz.checks import Check, kernels_tiles, measure
from tlmviz.checks import kernels as kernel_checks
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute, long_text
from tlmviz.ui.long_text import Ids

from .state import WRITTEN, Long


@dataclass(frozen=True)
class Passage:
    """A model and the ids that it reads: the cache key of everything computed on a long text."""

    model: str
    ids: Ids

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.model)

    @property
    def context(self) -> int:
        """Tokens of the texts that it was trained on."""
        return self.lm.config.context

    def first(self, tokens: int) -> Passage:
        """The first tokens only."""
        return replace(self, ids=self.ids[:tokens])


@dataclass(frozen=True)
class Text:
    """A text as it was chosen, the head that is opened, and the pinned query, None for none."""

    chosen: Long
    text: str
    head: tuple[int, int] = (0, 0)
    query: int | None = None

    @classmethod
    def of(cls, chosen: Long) -> Text:
        """The text that is chosen; the model writes it where it was asked to."""
        if chosen.is_own:
            return cls(chosen, chosen.own)
        if chosen.source == WRITTEN:
            return cls(chosen, stories(chosen.model, chosen.tokens, chosen.seed))
        return cls(chosen, sample(chosen.model, chosen.tokens))

    @property
    def lm(self) -> LanguageModel:
        """The model that reads it."""
        return compute.model(self.chosen.model)

    @property
    def ids(self) -> Ids:
        """All ids of the text, behind the end-of-text token."""
        return long_text.encoded(self.chosen.model, self.text)

    @property
    def limit(self) -> int:
        """Tokens that this page and this model can read."""
        config = self.lm.config
        return min(config.context, LONGEST) if config.positions.kind == "learned" else LONGEST

    @property
    def passage(self) -> Passage:
        """The part of it that is read."""
        return Passage(self.chosen.model, self.ids).first(self.limit)

    @property
    def far_heads(self) -> np.ndarray:
        """How much every head puts on one far token, the mean over the text, [L, H]."""
        return far_heads(self.passage)


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


class OnePass:
    """What every part that reads a whole passage knows of it."""

    passage: Passage

    @property
    def trace(self) -> Trace:
        """The trace of the one pass over it."""
        return trace(self.passage)

    @property
    def loss(self) -> np.ndarray:
        """Of each next token, [T - 1] nats."""
        return read(self.passage)[1]


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
    watched, context = trace(passage), passage.context
    rows = slice(0, None, 1) if every else None
    return compute.run_in_worker(lambda: long_context.survey(watched, layer, context, rows=rows), len(passage.ids))


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
    return np.stack([survey(passage, layer, False).far for layer in range(passage.lm.config.n_layers)])


def row_of(passage: Passage, layer: int, head: int, query: int) -> np.ndarray:
    """Exact weights of one query on all tokens up to itself, [query + 1]."""
    watched, rows = trace(passage), slice(query, query + 1)
    return compute.run_in_worker(lambda: watched.attention(layer, head, rows=rows, cols=slice(0, query + 1))[0].numpy())
