"""Everything that the parts Scores, Logits and Isotropy show: variances of sums, before training and after."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers import logits
from tlmviz.analysis.numbers.logits import Growth, Isotropy, Softness, Spread
from tlmviz.checks import Check
from tlmviz.checks import numbers_logits as checks
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures import escaped, placed, readable
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui.compute import run_in_worker

from .state import Spreads

DIVISORS = np.geomspace(0.2, 40, 61)
OUTERMOST = 10  # tokens that are named


@dataclass(frozen=True)
class Embedding:
    """The directions of the embedding as it is, about its mean, and before training; names and numbers of its
    points."""

    as_is: Isotropy
    centred: Isotropy
    before: Isotropy
    names: list[str]
    numbers: np.ndarray

    @property
    def outermost(self) -> list[int]:
        """The points that lie furthest from the cross."""
        return np.argsort(-np.linalg.norm(self.as_is.points, axis=1))[:OUTERMOST].tolist()


@dataclass(frozen=True)
class Data:
    """What the three parts show; each is computed when it is asked for."""

    chosen: Spreads

    @property
    def trace(self) -> Trace:
        """The model's pass over the text."""
        return shared.trace(self.chosen.model, self.chosen.text)

    @property
    def trained(self) -> list[list[Growth]]:
        """Every head's growth, by layer. Raises BadText for fewer than three tokens."""
        return growths(self.chosen.model, self.chosen.text)[0]

    @property
    def head(self) -> Growth:
        """The chosen head's."""
        return self.trained[self.chosen.layer][self.chosen.head]

    @property
    def untrained(self) -> list[list[Growth]]:
        """Every head's growth before training."""
        return growths(self.chosen.model, self.chosen.text)[1]

    @property
    def head_before(self) -> Growth:
        """The chosen head's before training."""
        return self.untrained[self.chosen.layer][self.chosen.head]

    @property
    def scores(self) -> tuple[np.ndarray, list[Softness]]:
        """The head's undivided scores over the pairs it may see, and what softmax makes of them undivided, by √d and by
        d."""
        return _scores(self.chosen.model, self.chosen.text, self.chosen.layer, self.chosen.head)

    @cached_property
    def spreads(self) -> tuple[Spread, Spread]:
        """The spread of the output logits now and before training. Raises BadText for one token."""
        return _output(self.chosen.model, self.chosen.text)[:2]

    @cached_property
    def losses(self) -> np.ndarray:
        """The loss with the logits divided by each of DIVISORS, bits per token."""
        return _output(self.chosen.model, self.chosen.text)[2]

    @property
    def best(self) -> float:
        """The divisor with the least loss."""
        return float(DIVISORS[self.losses.argmin()])

    @property
    def embedding(self) -> Embedding:
        """The token embedding's directions."""
        return _embedding(self.chosen.model)

    @property
    def checks(self) -> list[Check]:
        """The identities behind these parts, on this text."""
        return _checks(self.chosen.model, self.chosen.text)


def compute(chosen: Spreads) -> Data:
    """The data of a state."""
    return Data(chosen)


def strongest(model: str, text: str) -> tuple[int, int]:
    """The head whose products pull together most."""
    if len(shared.trace(model, text)) < 3:
        return 0, 0
    pulls = np.array([[head.pull for head in layer] for layer in growths(model, text)[0]])
    layer, head = np.unravel_index(int(pulls.argmax()), pulls.shape)
    return int(layer), int(head)


@st.cache_resource(max_entries=2, show_spinner=False)
def _untrained(model: str) -> LanguageModel:
    return logits.untrained(shared.model(model))


@st.cache_resource(max_entries=8, show_spinner=False)
def _untrained_trace(model: str, text: str) -> Trace:
    lm = _untrained(model)
    return run_in_worker(lambda: lm.trace(text), shared.about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def growths(model: str, text: str) -> tuple[list[list[Growth]], list[list[Growth]]]:
    """Every head of the text, measured, and the same before training. Raises BadText for fewer than three tokens."""
    trace, before = shared.trace(model, text), _untrained_trace(model, text)
    return run_in_worker(lambda: (logits.all_growths(trace), logits.all_growths(before)), len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def _scores(model: str, text: str, layer: int, head: int) -> tuple[np.ndarray, list[Softness]]:
    trace = shared.trace(model, text)

    def work() -> tuple[np.ndarray, list[Softness]]:
        dot = trace.scores(layer, head, "dot")
        d = trace.qk(layer, head)[0].shape[-1]
        seen = dot[logits.causal_pairs(len(trace))]
        return seen.numpy(), logits.softness(dot, (1, d**0.5, d))

    return run_in_worker(work, len(trace))


@st.cache_resource(max_entries=16, show_spinner=False)
def _output(model: str, text: str) -> tuple[Spread, Spread, np.ndarray]:
    trace, before = shared.trace(model, text), _untrained_trace(model, text)
    lm, raw = shared.model(model), _untrained(model)

    def work() -> tuple[Spread, Spread, np.ndarray]:
        losses = logits.loss_by_divisor(trace, DIVISORS.tolist())
        return logits.spread(lm, trace), logits.spread(raw, before), losses

    return run_in_worker(work, len(trace))


@st.cache_resource(max_entries=4, show_spinner=False)
def _embedding(model: str) -> Embedding:
    lm, raw = shared.model(model), _untrained(model)
    vectors = lm.network.token_emb.weight

    def work() -> Embedding:
        numbers = logits.sampled(len(vectors)).numpy()
        names = [escaped(placed(int(row), readable(lm.tokenizer.name(int(row))))) for row in numbers]
        parts = [logits.isotropy(vectors), logits.isotropy(vectors, centred=True)]
        return Embedding(*parts, logits.isotropy(raw.network.token_emb.weight), names, numbers)

    return run_in_worker(work, 1000)


@st.cache_resource(max_entries=32, show_spinner=False)
def _checks(model: str, text: str) -> list[Check]:
    lm, trace, before = shared.model(model), shared.trace(model, text), _untrained_trace(model, text)
    return run_in_worker(
        lambda: [checks.variance_is_a_sum(lm, trace), checks.untrained_logits_spread(_untrained(model), before)],
        len(trace),
    )
