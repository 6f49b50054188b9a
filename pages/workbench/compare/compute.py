"""Everything the page Compare computes, cached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import streamlit as st

from tlmviz.analysis.workbench import precisions
from tlmviz.analysis.workbench.comparing import Comparison, check_vocabulary, compare
from tlmviz.checks import Check
from tlmviz.checks import workbench_comparing as checks
from tlmviz.errors import BadShape
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui.progress import Tell, Work, begin, going

from . import words
from .component import side_of
from .controls import BITS, PROMPTS, Choice

MOST = 256  # tokens of a text that are compared: a picture of more shows no cell


@dataclass(frozen=True, eq=False)
class Found:
    """Two runs compared, with everything that the picture shows; `lengths` are those of the whole texts in tokens."""

    comparison: Comparison
    small: np.ndarray
    cosines: np.ndarray | None
    apart: str
    guesses: list
    lengths: tuple[int, int]

    @property
    def same(self) -> bool:
        """Whether nothing at all differs."""
        alignment, kl = self.comparison.alignment, self.comparison.kl
        return not alignment.edits and not self.small.any() and not kl.any()


def found(choice: Choice) -> Found:
    """Both runs compared, with a bar while that takes longer.

    Raises BadText for an empty text; BadShape for models that cannot be laid over each other.
    """
    return going(_comparing, choice).wait(words.COMPARING)


@st.cache_resource(max_entries=12, show_spinner=False)
def _comparing(choice: Choice) -> Work[Found]:
    lms = choice.lms
    ids, lengths = zip(*(_read(lm, text) for lm, text in zip(lms, (choice.a, choice.b))))
    if choice.model != choice.other:
        _check(*lms)

    def work(tell: Tell) -> Found:
        tell(0.0)
        first = lms[0].trace_ids(ids[0])
        tell(0.3)
        comparison = compare(first, _second(choice, ids[1]))
        tell(0.6)
        small = comparison.small(side_of(comparison.a.n_layers * comparison.a.n_heads))
        _ = comparison.heads
        tell(0.75)
        try:
            cosines, apart = comparison.cosines, ""
        except BadShape as error:
            cosines, apart = None, str(error)
        tell(0.9)
        return Found(comparison, small, cosines, apart, _guesses(lms[0], comparison), lengths)

    return begin(work, max(map(len, ids)))


def _second(choice: Choice, ids: list[int]) -> Trace:
    lm = choice.lms[1]
    if not choice.bits:
        return lm.trace_ids(ids)
    part, key = BITS[choice.bits]
    return {"weights": precisions.weights_rounded, "cache": precisions.cache_rounded}[part](lm, ids, key)


def costs(choice: Choice) -> Work[list[precisions.Cost]]:
    """What each key/value head costs, kept in few bits alone: begun where it is not there yet."""
    return going(_costing, choice)


@st.cache_resource(max_entries=12, show_spinner=False)
def _costing(choice: Choice) -> Work[list[precisions.Cost]]:
    lm, ids, key = choice.lms[0], _read(choice.lms[0], choice.a)[0], BITS[choice.bits][1]
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
        raise BadShape(words.other_shape(a.name, layers, heads, b.name, others, other_heads))
    check_vocabulary(a, b)


def _guesses(lm: LanguageModel, comparison: Comparison) -> list:
    """The likeliest next tokens of both runs behind each aligned token."""
    ids, shares = comparison.likeliest
    name = cache(lm.tokenizer.name)
    return [
        [[{"token": name(i), "share": share} for i, share in zip(*run)] for run in zip(*both)]
        for both in zip(ids.tolist(), shares.tolist())
    ]


@st.cache_resource(max_entries=12, show_spinner=False)
def measured(choice: Choice) -> list[Check]:
    """What comes before the first change, where both runs are of one model."""
    if choice.view != PROMPTS:
        return []
    comparison = found(choice).comparison
    return shared.run_in_worker(lambda: [checks.same_before_the_change(comparison)])
