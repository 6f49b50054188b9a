"""Everything that the page Compare shows: two runs, their differences, and what rounding each head costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.workbench import precisions
from tlmviz.analysis.workbench.comparing import Comparison, check_vocabulary, compare
from tlmviz.checks import Check
from tlmviz.checks import workbench_comparing as checks
from tlmviz.errors import BadShape
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached
from tlmviz.ui.language import _
from tlmviz.ui.progress import Tell, Work, begin, going

from .state import PROMPTS, Compare

MOST = 256  # tokens of a text that are compared: a picture of more shows no cell
BYTES = 400_000  # of all small maps: at most 32 x 32 cells of 270 heads
SIDE = 40  # cells of a small map, at most
ROUNDING = 1e-5  # of weights and nats: a longer text is summed in another order
Guesses = list[list[list[dict]]]  # behind each aligned token, of both runs: the likeliest next tokens


@dataclass(frozen=True)
class Runs:
    """Two runs: models, texts, and what is rounded in the second; the key of what is kept of them."""

    model: str
    other: str
    a: str
    b: str
    rounded: tuple[str, str] | None

    @property
    def lms(self) -> tuple[LanguageModel, LanguageModel]:
        """The models of both."""
        return shared.model(self.model), shared.model(self.other)


@dataclass(frozen=True, eq=False)
class Found:
    """Two runs compared, with everything that the picture shows; `lengths` are those of the whole texts in tokens."""

    comparison: Comparison
    small: np.ndarray
    cosines: np.ndarray | None
    apart: BadShape | None
    guesses: Guesses
    lengths: tuple[int, int]


@dataclass(frozen=True)
class Data:
    """What the page shows. Raises BadText for an empty text, BadShape where no head stands for another."""

    chosen: Compare

    @cached_property
    def runs(self) -> Runs:
        return Runs(self.chosen.model, self.chosen.second, *self.chosen.texts, self.chosen.rounded)

    @cached_property
    def found(self) -> Found:
        """Both runs compared, with a bar while that takes longer."""
        return _found(self.runs)

    @property
    def comparison(self) -> Comparison:
        return self.found.comparison

    @property
    def same(self) -> bool:
        """Whether nothing at all differs, or of texts of which one only goes on nothing but by rounding."""
        most = ROUNDING if self.comparison.alignment.edits else 0.0
        return bool((np.abs(self.found.small) <= most).all() and (self.comparison.kl <= most).all())

    @property
    def cut(self) -> bool:
        """Whether a text is longer than what is compared."""
        compared = self.comparison.a, self.comparison.b
        return any(length > len(trace) for length, trace in zip(self.found.lengths, compared))

    @property
    def furthest(self) -> int:
        """The aligned token behind which the predictions are furthest apart."""
        return int(self.comparison.kl.argmax())

    @cached_property
    def guess(self) -> tuple[str, float, float]:
        """The token whose probability moves most there, and its probability in A and in B."""
        comparison, at = self.comparison, self.furthest
        one, two = (
            trace.logits_at([int(where[at])])[0].double().softmax(-1)
            for trace, where in ((comparison.a, comparison.alignment.a), (comparison.b, comparison.alignment.b))
        )
        token = int((one - two).abs().argmax())
        return self.runs.lms[0].tokenizer.name(token), float(one[token]), float(two[token])

    @property
    def head(self) -> tuple[int, int]:
        """The head in detail: the one that was chosen, else the one that moved most."""
        trace, head = self.comparison.a, self.chosen.head
        if head and head[0] < trace.n_layers and head[1] < trace.n_heads:
            return head
        first = self.comparison.moved(1).iloc[0]
        return int(first.layer), int(first["head"])

    @property
    def pin(self) -> int:
        """The pinned token."""
        return self.furthest if self.chosen.pin is None else min(self.chosen.pin, len(self.comparison.kl) - 1)

    @cached_property
    def patches(self) -> bool:
        """Whether the whole texts can be patched into each other: as many tokens, and behind them other words are
        expected."""
        a, b = self.comparison.a, self.comparison.b
        fit = self.chosen.view == PROMPTS and not self.cut and len(a) == len(b)
        return fit and int(a.logits_at(-1).argmax()) != int(b.logits_at(-1).argmax())

    @property
    def costs(self) -> Work[list[precisions.Cost]]:
        """What each key/value head costs, kept in few bits alone: begun where it is not there yet."""
        return going(_costing, self.runs)

    @cached(12)
    def checks(runs: Runs) -> list[Check]:
        """What comes before the first change."""
        comparison = _found(runs).comparison
        return shared.run_in_worker(lambda: [checks.same_before_the_change(comparison)])


def _found(runs: Runs) -> Found:
    return going(_comparing, runs).wait(_("Reads both sides and compares every head …"))


@st.cache_resource(max_entries=12, show_spinner=False)
def _comparing(runs: Runs) -> Work[Found]:
    lms = runs.lms
    ids, lengths = zip(*(_read(lm, text) for lm, text in zip(lms, (runs.a, runs.b))))
    if runs.model != runs.other:
        _check(*lms)

    def work(tell: Tell) -> Found:
        tell(0.0)
        first = lms[0].trace_ids(ids[0])
        tell(0.3)
        comparison = compare(first, _second(runs, ids[1]))
        tell(0.6)
        small = comparison.small(side_of(comparison.a.n_layers * comparison.a.n_heads))
        _moved = comparison.heads
        tell(0.75)
        cosines, apart = None, None
        try:
            cosines = comparison.cosines
        except BadShape as error:
            apart = error
        tell(0.9)
        return Found(comparison, small, cosines, apart, _guesses(lms[0], comparison), lengths)

    return begin(work, max(map(len, ids)))


def side_of(heads: int) -> int:
    """How many cells a side the small maps of so many heads may have."""
    return max(8, min(SIDE, int((BYTES / heads) ** 0.5)))


def _second(runs: Runs, ids: list[int]) -> Trace:
    lm = runs.lms[1]
    if runs.rounded is None:
        return lm.trace_ids(ids)
    part, key = runs.rounded
    return {"weights": precisions.weights_rounded, "cache": precisions.cache_rounded}[part](lm, ids, key)


@st.cache_resource(max_entries=12, show_spinner=False)
def _costing(runs: Runs) -> Work[list[precisions.Cost]]:
    lm, ids, key = runs.lms[0], _read(runs.lms[0], runs.a)[0], (runs.rounded or ("", ""))[1]
    return begin(lambda tell: precisions.cache_costs(lm, ids, key, tell), len(ids))


def _read(lm: LanguageModel, text: str) -> tuple[list[int], int]:
    part, length = lm.fit(text) if text else (text, 0)
    ids = lm.encode(part)
    return ids[:MOST], max(length, len(ids))


def _check(a: LanguageModel, b: LanguageModel) -> None:
    """Shapes first: the sentence about them says more. Raises BadShape."""
    shapes = [(lm.config.n_layers, lm.config.n_heads) for lm in (a, b)]
    if shapes[0] != shapes[1]:
        (layers, heads), (others, other_heads) = shapes
        raise BadShape(
            "{a} has {layers} layers of {heads} heads, {b} {others} of {other_heads}: no head stands for another; "
            "choose a model with as many layers and heads.",
            a=a.name,
            layers=layers,
            heads=heads,
            b=b.name,
            others=others,
            other_heads=other_heads,
        )
    check_vocabulary(a, b)


def _guesses(lm: LanguageModel, comparison: Comparison) -> Guesses:
    ids, shares = comparison.likeliest
    name = cache(lm.tokenizer.name)
    return [
        [[{"token": name(i), "share": share} for i, share in zip(*run)] for run in zip(*both)]
        for both in zip(ids.tolist(), shares.tolist())
    ]
