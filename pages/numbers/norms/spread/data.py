"""Everything that the parts Scores, Logits and Isotropy show: variances of sums, before training and after."""

from __future__ import annotations

from dataclasses import dataclass

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
from tlmviz.ui.cached import cached
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

    @cached(16)
    def growths(model: str, text: str) -> tuple[list[list[Growth]], list[list[Growth]]]:
        """Every head of the text, by layer, and the same before training. Raises BadText for fewer than three
        tokens."""
        trace, before = shared.trace(model, text), _untrained_trace(model, text)
        return run_in_worker(lambda: (logits.all_growths(trace), logits.all_growths(before)), len(trace))

    @property
    def trained(self) -> list[list[Growth]]:
        """Every head's growth, by layer."""
        return self.growths[0]

    @property
    def strongest(self) -> tuple[int, int]:
        """The head whose products pull together most."""
        if len(self.trace) < 3:
            return 0, 0
        pulls = np.array([[head.pull for head in layer] for layer in self.trained])
        layer, head = np.unravel_index(int(pulls.argmax()), pulls.shape)
        return int(layer), int(head)

    @property
    def at(self) -> tuple[int, int]:
        """The chosen head's layer, and its number."""
        return self.chosen.layer, self.chosen.head

    @property
    def head(self) -> Growth:
        """The chosen head's."""
        return self.trained[self.chosen.layer][self.chosen.head]

    @property
    def untrained(self) -> list[list[Growth]]:
        """Every head's growth before training."""
        return self.growths[1]

    @property
    def head_before(self) -> Growth:
        """The chosen head's before training."""
        return self.untrained[self.chosen.layer][self.chosen.head]

    @cached(32)
    def scores(model: str, text: str, at: tuple[int, int]) -> tuple[np.ndarray, list[Softness]]:
        """The head's undivided scores over the pairs it may see, and what softmax makes of them undivided, by √d and by
        d."""
        trace = shared.trace(model, text)

        def work() -> tuple[np.ndarray, list[Softness]]:
            dot = trace.scores(*at, "dot")
            d = trace.qk(*at)[0].shape[-1]
            seen = dot[logits.causal_pairs(len(trace))]
            return seen.numpy(), logits.softness(dot, (1, d**0.5, d))

        return run_in_worker(work, len(trace))

    @cached(16)
    def output(model: str, text: str) -> tuple[Spread, Spread, np.ndarray]:
        """The spread of the output logits now and before training, and losses. Raises BadText for one token."""
        trace, before = shared.trace(model, text), _untrained_trace(model, text)
        lm, raw = shared.model(model), _untrained(model)

        def work() -> tuple[Spread, Spread, np.ndarray]:
            losses = logits.loss_by_divisor(trace, DIVISORS.tolist())
            return logits.spread(lm, trace), logits.spread(raw, before), losses

        return run_in_worker(work, len(trace))

    @property
    def spreads(self) -> tuple[Spread, Spread]:
        """The spread of the output logits now and before training."""
        return self.output[:2]

    @property
    def losses(self) -> np.ndarray:
        """The loss with the logits divided by each of DIVISORS, bits per token."""
        return self.output[2]

    @property
    def best(self) -> float:
        """The divisor with the least loss."""
        return float(DIVISORS[self.losses.argmin()])

    @cached(4)
    def embedding(model: str) -> Embedding:
        """The token embedding's directions."""
        lm, raw = shared.model(model), _untrained(model)
        vectors = lm.network.token_emb.weight

        def work() -> Embedding:
            numbers = logits.sampled(len(vectors)).numpy()
            names = [escaped(placed(int(row), readable(lm.tokenizer.name(int(row))))) for row in numbers]
            parts = [logits.isotropy(vectors), logits.isotropy(vectors, centred=True)]
            return Embedding(*parts, logits.isotropy(raw.network.token_emb.weight), names, numbers)

        return run_in_worker(work, 1000)

    @cached(32)
    def checks(model: str, text: str) -> list[Check]:
        """The identities behind these parts, on this text."""
        lm, trace, before = shared.model(model), shared.trace(model, text), _untrained_trace(model, text)
        return run_in_worker(
            lambda: [checks.variance_is_a_sum(lm, trace), checks.untrained_logits_spread(_untrained(model), before)],
            len(trace),
        )


@st.cache_resource(max_entries=2, show_spinner=False)
def _untrained(model: str) -> LanguageModel:
    return logits.untrained(shared.model(model))


@st.cache_resource(max_entries=8, show_spinner=False)
def _untrained_trace(model: str, text: str) -> Trace:
    lm = _untrained(model)
    return run_in_worker(lambda: lm.trace(text), shared.about(text))
