"""What the parts of the page Alignment share: a sentence's translations, ranked, and the map that is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import coverage
from tlmviz.checks import Check, run
from tlmviz.checks import translation as checks
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss, token_coverage
from tlmviz.decoding.records import Candidate, Search
from tlmviz.facades.translator import Translator
from tlmviz.tokens import output_names
from tlmviz.ui import compute as shared
from tlmviz.ui import translation

from .state import BEST, MEAN, OWN, Alignment

QUICK = (
    checks.rows_sum_to_one,
    checks.score_is_read_again,
    checks.rows_may_move,
    checks.penalties_by_hand,
    checks.overlap_by_distance,
)


def joined(names: Sequence[str], at: int) -> bool:
    """Whether a token is the piece of a word and not its first."""
    return at > 0 and names[at][:1].isalpha() and names[at - 1][-1:].isalpha()


def whole(names: Sequence[str], at: int) -> bool:
    """Whether a token is a whole word."""
    ends = at + 1 == len(names) or not joined(names, at + 1)
    return names[at].strip().isalpha() and not joined(names, at) and ends


@dataclass(frozen=True)
class Covered:
    """A map [T, S] between named tokens, and what each source token costs for how much it was looked at."""

    weights: np.ndarray
    source: list[str]
    target: list[str]
    penalties: Penalties

    @property
    def sums(self) -> np.ndarray:
        """How much each source token was looked at, over all steps [S]."""
        return self.weights.sum(0)

    @property
    def costs(self) -> np.ndarray:
        """Each source token's part of the coverage penalty [S], in nats."""
        return self.penalties.beta * token_coverage(self.sums, self.penalties.floor)

    @property
    def least(self) -> float:
        """The cost of a token that nobody looked at."""
        return float(self.penalties.beta * np.log(self.penalties.floor))

    @property
    def overlap(self) -> np.ndarray:
        """covloss of each step against the average of the steps before it [T]."""
        return coverage_loss(self.weights, average=True)

    @property
    def overlaps(self) -> dict[str, np.ndarray]:
        """Each step's overlap with every source token, in both forms."""
        return {"sum": coverage.overlaps(self.weights)[0], "average": coverage.overlaps(self.weights, True)[0]}

    @property
    def first_step(self) -> int:
        """The step with the largest overlap; the last one, which writes the end, is left out."""
        return int(self.overlap[: max(1, len(self.weights) - 1)].argmax())


@dataclass(frozen=True)
class Hypothesis:
    """A translation by its rank, and the map of it that is read.

    The hypotheses are ranked by the coverage of that map, or, unless `by_map`, by the model's own, as its translations
    are.
    """

    chosen: Alignment
    by_map: bool = True

    @property
    def mt(self) -> Translator:
        return translation.model(self.chosen.model)

    @property
    def penalties(self) -> Penalties:
        return Penalties(beta=self.chosen.beta, floor=self.chosen.floor)

    @property
    def align(self) -> int | None:
        """The map, None for the mean of all."""
        return align_of(self.chosen.model, self.chosen.map)

    @property
    def counted(self) -> int | None:
        """The map whose coverage counts in scores."""
        return self.align if self.by_map else self.mt.align

    @property
    def search(self) -> Search:
        """The search that ended with the hypotheses; searched once for all penalties and maps. Raises BadSearch."""
        options = translation.without_ranking(BeamOptions(width=self.chosen.width))
        return translation.search(self.chosen.model, self.chosen.text, options)

    @cached_property
    def hypotheses(self) -> list[Candidate]:
        """All of them, best first."""
        return self.search.hypotheses(self.penalties, self.counted)

    @property
    def candidate(self) -> Candidate:
        """The hypothesis of the chosen rank."""
        return self.hypotheses[self.chosen.rank - 1]

    @property
    def source(self) -> list[str]:
        """Names of the source tokens [S]."""
        return self.names(self.mt.encode(self.chosen.text))

    @property
    def target(self) -> list[str]:
        """Names of the written tokens [T]."""
        return self.names(self.candidate.tokens)

    def names(self, ids: Iterable[int]) -> list[str]:
        """Readable tokens, the one that ends a text named so."""
        return output_names(self.mt.tokenizer, ids)

    def covered(self, candidate: Candidate) -> Covered:
        """A text's map and what it costs."""
        return Covered(candidate.map(self.align), self.source, self.names(candidate.tokens), self.penalties)

    @property
    def errors(self) -> tuple[list[str], np.ndarray, int] | None:
        """Maps by alignment error, lowest first, these errors, and on how many sentences; None without alignments."""
        return translation.alignment_errors(self.chosen.model)

    @property
    def checks(self) -> list[Check]:
        """The identities behind this page that need no further search."""
        return _checks(self.chosen.model, self.chosen.text)


def align_of(model: str, name: str) -> int | None:
    """Which of a model's maps a menu's `name` is; None is the mean. Names of other models' maps are the best one."""
    mt = translation.model(model)
    known = {OWN: mt.align, MEAN: None, **{each: at for at, each in enumerate(mt.maps)}}
    if name in known:
        return known[name]
    assert name == BEST or "." in name
    return translation.best_map(model)


@st.cache_resource(max_entries=64, show_spinner=False)
def _checks(model: str, text: str) -> list[Check]:
    return shared.run_in_worker(lambda: run(QUICK, translation.model(model), text), shared.about(text))
