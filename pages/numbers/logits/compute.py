"""Everything the page Logits computes, cached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers import logits
from tlmviz.analysis.numbers.logits import Growth, Isotropy, Softness, Spread
from tlmviz.checks import Check
from tlmviz.checks import numbers_logits as checks
from tlmviz.figures import escaped, placed, readable
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute
from tlmviz.ui.compute import run_in_worker

DIVISORS = np.geomspace(0.2, 40, 61)


@dataclass(frozen=True)
class Heads:
    """Every head's growth by layer, and the same before training."""

    trained: list[list[Growth]]
    before: list[list[Growth]]


@dataclass(frozen=True)
class Output:
    """The spread of the logits now and before training, and the loss [n] with the logits divided by DIVISORS."""

    trained: Spread
    before: Spread
    losses: np.ndarray


@dataclass(frozen=True)
class Embedding:
    """The directions of the embedding as it is, about its mean, and before training; names and numbers of its points."""

    as_is: Isotropy
    centred: Isotropy
    before: Isotropy
    names: list[str]
    numbers: np.ndarray


@st.cache_resource(max_entries=2, show_spinner=False)
def untrained(model: str) -> LanguageModel:
    """The model before training."""
    return logits.untrained(compute.model(model))


@st.cache_resource(max_entries=8, show_spinner=False)
def untrained_trace(model: str, text: str) -> Trace:
    """Its pass over a text."""
    lm = untrained(model)
    return run_in_worker(lambda: lm.trace(text), compute.about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def heads(model: str, text: str) -> Heads:
    """Every head of the text, measured. Raises BadText for fewer than three tokens."""
    trace, before = compute.trace(model, text), untrained_trace(model, text)
    return run_in_worker(lambda: Heads(logits.all_growths(trace), logits.all_growths(before)), len(trace))


def strongest(model: str, text: str) -> tuple[int, int]:
    """The head whose products pull together most."""
    if len(compute.trace(model, text)) < 3:
        return 0, 0
    pulls = np.array([[head.pull for head in layer] for layer in heads(model, text).trained])
    layer, head = np.unravel_index(int(pulls.argmax()), pulls.shape)
    return int(layer), int(head)


@st.cache_resource(max_entries=32, show_spinner=False)
def scores(model: str, text: str, layer: int, head: int) -> tuple[np.ndarray, list[Softness]]:
    """A head's undivided scores over the pairs it may see, and what softmax makes of them undivided, by √d and by d."""
    trace = compute.trace(model, text)

    def work() -> tuple[np.ndarray, list[Softness]]:
        dot = trace.scores(layer, head, "dot")
        d = trace.qk(layer, head)[0].shape[-1]
        seen = dot[logits.causal_pairs(len(trace))]
        return seen.numpy(), logits.softness(dot, (1, d**0.5, d))

    return run_in_worker(work, len(trace))


@st.cache_resource(max_entries=16, show_spinner=False)
def output(model: str, text: str) -> Output:
    """The output logits of a text. Raises BadText for one token."""
    trace, before = compute.trace(model, text), untrained_trace(model, text)
    lm, raw = compute.model(model), untrained(model)

    def work() -> Output:
        losses = logits.loss_by_divisor(trace, DIVISORS.tolist())
        return Output(logits.spread(lm, trace), logits.spread(raw, before), losses)

    return run_in_worker(work, len(trace))


@st.cache_resource(max_entries=4, show_spinner=False)
def embedding(model: str) -> Embedding:
    """The token embedding's directions."""
    lm, raw = compute.model(model), untrained(model)
    vectors = lm.network.token_emb.weight

    def work() -> Embedding:
        numbers = logits.sampled(len(vectors)).numpy()
        names = [escaped(placed(int(row), readable(lm.tokenizer.name(int(row))))) for row in numbers]
        parts = [logits.isotropy(vectors), logits.isotropy(vectors, centred=True)]
        return Embedding(*parts, logits.isotropy(raw.network.token_emb.weight), names, numbers)

    return run_in_worker(work, 1000)


@st.cache_resource(max_entries=32, show_spinner=False)
def measured(model: str, text: str) -> list[Check]:
    """The identities behind this page, on this text."""
    lm, trace, before = compute.model(model), compute.trace(model, text), untrained_trace(model, text)
    return run_in_worker(
        lambda: [
            checks.variance_is_a_sum(lm, trace),
            checks.untrained_logits_spread(untrained(model), before),
        ],
        len(trace),
    )
