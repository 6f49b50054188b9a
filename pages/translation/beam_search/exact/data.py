"""Everything that the part Exact search shows: the model's own best text beside those of beams, and the best
beginnings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import streamlit as st

from tlmviz.checks import Check
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.exact import Exact, ExactOptions, exact_search
from tlmviz.decoding.records import Candidate, Search
from tlmviz.ui import compute as shared
from tlmviz.ui import translation

from .. import data as tree
from ..state import Beam
from .state import Horizon

WIDTHS = (1, 2, 3, 5, 10, 20)
Known = tuple[tuple[int, ...], float]  # a text and its log P


@dataclass(frozen=True)
class Data:
    """A search of the page, compared with the exact one; `horizon` tokens has the short search."""

    base: tree.Data
    horizon: int

    @property
    def plain(self) -> BeamOptions:
        """The rules that every way searches under: width and end alone."""
        options = self.base.options
        return BeamOptions(width=options.width, stop=options.stop, shown=options.shown)

    @property
    def left_out(self) -> bool:
        """Whether forced, banned and other rules are left out."""
        return replace(self.base.options, penalties=self.plain.penalties, align=None) != self.plain

    @cached_property
    def searches(self) -> dict[int, Search]:
        """Beams of WIDTHS and of the chosen width."""
        return tree.by_width(self.base.chosen, self.plain, tuple(sorted({*WIDTHS, self.plain.width})))

    @cached_property
    def beams(self) -> dict[int, Candidate]:
        """The most probable text of each, complete if there is one, whatever its score."""
        return {
            width: max(search.hypotheses(), key=lambda one: (one.finished, one.parts.logp))
            for width, search in self.searches.items()
        }

    @property
    def beam(self) -> Candidate:
        """That of the chosen width."""
        return self.beams[self.plain.width]

    @cached_property
    def exact(self) -> Exact:
        """The exact search, which starts from the best text that the beams found."""
        complete = (beam for beam in self.beams.values() if beam.finished)
        best = max(complete, key=lambda beam: beam.parts.logp, default=None)
        known = None if best is None else (best.tokens, best.parts.logp)
        return _exact(self.base.chosen.model, self.base.chosen.text, None, known)

    @property
    def winners(self) -> dict[int, Candidate]:
        """The text that each width ranks first."""
        return {width: search.hypotheses(self.base.penalties)[0] for width, search in self.searches.items()}

    @cached_property
    def short(self) -> dict[int, Exact]:
        """The most probable beginnings of up to `horizon` tokens."""
        chosen = self.base.chosen
        return {t: _exact(chosen.model, chosen.text, t) for t in range(1, self.horizon + 1)}

    @cached_property
    def beginning(self) -> Candidate:
        """The most probable beginning of `horizon` tokens that the beam finds."""
        chosen = self.base.chosen
        options = BeamOptions(width=chosen.width, max_length=self.horizon, stop="never")
        candidates = translation.search(chosen.model, chosen.text, options).hypotheses()
        return max(candidates, key=lambda candidate: candidate.parts.logp)

    def looked_at(self, width: int) -> list[int]:
        """Candidates that a beam had looked at after each step: every token behind each beam that was continued."""
        search = self.searches[width]
        parents = ({node.parent for node in search.nodes if node.depth == t} for t in range(1, search.steps + 1))
        return list(accumulate(len(beams) * self.exact.vocabulary for beams in parents))

    @property
    def checks(self) -> list[Check]:
        """The log P of the exact text, if there is one, against one pass over it."""
        return [tree.one_pass(self.base, self.exact.tokens, self.exact.logp)] if self.exact.tokens else []


def compute(chosen: Beam) -> Data:
    """The data of a search, with the session's horizon."""
    return Data(tree.Data(chosen), Horizon.of_session().tokens)


@st.cache_resource(max_entries=64, show_spinner=False)
def _exact(model: str, text: str, horizon: int | None = None, known: Known | None = None) -> Exact:
    """The most probable translation, or beginning of `horizon` tokens, as far as a few seconds go."""
    mt = translation.model(model)
    options = ExactOptions(max_length=mt.longest(text), horizon=horizon, known=known, expansions=4000, seconds=6.0)
    return shared.run_in_worker(lambda: exact_search(mt.stepper(text), options), shared.about(text))
