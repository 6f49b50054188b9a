"""Everything that the part Race shows: the search in several widths, and the text that is chosen by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.translation import beam_race
from tlmviz.decoding.records import Candidate, Search, aligned
from tlmviz.tokens import output_names
from tlmviz.ui import compute as shared
from tlmviz.ui import translation

from .. import data as tree
from ..state import Beam
from .state import ORIGIN, Race

WIDTHS = (1, 2, 5, 20)
OFFERED = 10  # tokens to choose from, and the one that ends the text


@dataclass(frozen=True)
class Written:
    """A text chosen by hand: its log-probabilities [t], its attention [t, A, S], and the next token's probabilities
    [V]."""

    tokens: tuple[int, ...]
    logps: np.ndarray
    attention: np.ndarray
    following: np.ndarray


@dataclass(frozen=True)
class Data:
    """The search in every width, narrow ones first, and what the reader wrote."""

    base: tree.Data
    own: tuple[int, ...]

    @property
    def origin(self) -> str:
        """A name of the sentence and its model: tokens chosen for another one say nothing."""
        chosen = self.base.chosen
        return "\n".join((chosen.model, chosen.text, *map(str, self.base.options.prefix)))

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths that race, the chosen one among them."""
        return tuple(sorted({*WIDTHS, self.base.chosen.width}))

    @cached_property
    def searches(self) -> dict[int, Search]:
        """All in one group. Raises BadSearch."""
        options = replace(self.base.options, groups=1, shown=1)
        return tree.by_width(self.base.chosen, translation.without_ranking(options), self.widths)

    @cached_property
    def winners(self) -> dict[int, Candidate]:
        return {width: search.hypotheses(self.base.penalties)[0] for width, search in self.searches.items()}

    @property
    def best(self) -> Candidate:
        """The best text of all by score, of equals the narrowest beam's."""
        return max(self.winners.values(), key=lambda winner: winner.score)

    @property
    def falls(self) -> list[tuple[int, int]]:
        """Pairs of widths of which the wider one ends with a lower score."""
        return beam_race.worse_when_wider({width: winner.score for width, winner in self.winners.items()})

    @cached_property
    def written(self) -> Written:
        """The reader's text."""
        return _written(self.base.chosen.model, self.base.chosen.text, self.own)

    @property
    def ended(self) -> bool:
        """Whether the reader's text is complete."""
        return bool(self.own) and self.own[-1] in self.base.tokenizer.ends

    @property
    def score(self) -> float:
        """The reader's text ranked as the search ranks its own."""
        covered = aligned(self.written.attention, self.base.mt.align).sum(0)
        total = float(self.written.logps.sum(dtype=np.float64))
        return self.base.penalties.score(total, len(self.own), covered).total

    @property
    def offers(self) -> list[int]:
        """The most probable tokens to go on with, and the end of the text."""
        if self.ended or len(self.own) >= self.base.mt.longest(self.base.chosen.text):
            return []
        best = np.argsort(-self.written.following)[:OFFERED].tolist()
        return best + [token for token in sorted(self.base.tokenizer.ends) if token not in best][:1]

    def text(self, candidate: Candidate) -> str:
        return self.base.mt.text(candidate.tokens)

    def lane(self, width: int) -> dict:
        """One width: all that it kept, its best beginning at each step, and the way of the best text of all."""
        search, winner = self.searches[width], self.winners[width]
        beginnings, lost = beam_race.kept(search), beam_race.loss(search, self.best)
        steps = max((one.step for one in beginnings), default=0)
        leaders = [next(one for one in beginnings if one.step == step) for step in range(1, steps + 1)]
        return {
            "width": width,
            "steps": steps,
            "parents": [one.parent for one in beginnings],
            "depths": [one.step for one in beginnings],
            "ranks": [one.rank for one in beginnings],
            "totals": [round(one.total, 4) for one in beginnings],
            "ended": [one.finished for one in beginnings],
            "names": output_names(self.base.tokenizer, [one.token for one in beginnings]),
            "leaders": [self.base.mt.text(search.path(one.node)) for one in leaders],
            "way": beam_race.way(beginnings, self.best.tokens),
            "lost": None if lost is None else {"step": lost.step, "how": lost.how},
            "text": self.text(winner),
            "score": winner.score,
            "logp": winner.parts.logp,
        }


def compute(chosen: Beam) -> Data:
    """The data of a search, with what the reader wrote behind its forced beginning; nothing of another sentence's."""
    found = Data(tree.Data(chosen), Race.own.get())
    tokens, prefix, mt = found.own, found.base.options.prefix, found.base.mt
    was = st.session_state.get(ORIGIN)
    if was and was[0] != found.origin and was[1] == tokens:  # tokens that came with a link belong to its sentence
        tokens = ()
    if any(token >= mt.tokenizer.vocab_size for token in tokens):
        tokens = ()
    ends = [place + 1 for place, token in enumerate(tokens) if token in mt.tokenizer.ends]
    tokens = tokens[: min([mt.longest(chosen.text), *ends])]
    Race.own.set(tokens if tokens[: len(prefix)] == prefix else ())
    st.session_state[ORIGIN] = found.origin, Race.own.get()
    return replace(found, own=Race.of_session().own or prefix)


@st.cache_resource(max_entries=256, show_spinner=False)
def _written(model: str, text: str, tokens: tuple[int, ...]) -> Written:
    """A text that somebody chose token by token. Raises BadText."""
    mt = translation.model(model)

    def work() -> Written:
        stepper, row = mt.stepper(text), torch.tensor([0])
        step, logps, rows = stepper.advance(row, None), [], []
        for token in tokens:
            logps.append(float(step.logp[0, token]))
            rows.append(step.attention[0].numpy())
            step = stepper.advance(row, torch.tensor([token]))
        source = len(mt.encode(text))
        attention = np.stack(rows) if rows else np.zeros((0, len(mt.maps), source), np.float32)
        return Written(tokens, np.array(logps), attention, step.logp[0].exp().numpy())

    return shared.run_in_worker(work, shared.about(text))
