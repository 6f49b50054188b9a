"""What the view "Race" computes, cached: the search in several widths, and the text that is chosen by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.translation import beam_race
from tlmviz.decoding.penalties import Score
from tlmviz.decoding.records import Candidate, Search, aligned
from tlmviz.tokens import output_names
from tlmviz.ui import compute as shared
from tlmviz.ui import translation

from .. import compute as page
from ..controls import Choice

WIDTHS = (1, 2, 5, 20)


@dataclass(frozen=True)
class Written:
    """A text chosen by hand: its log-probabilities [t], its attention [t, A, S], and the next token's probabilities [V]."""

    tokens: tuple[int, ...]
    logps: np.ndarray
    attention: np.ndarray
    following: np.ndarray

    @property
    def total(self) -> float:
        """Its log P in nats."""
        return float(self.logps.sum(dtype=np.float64))

    def score(self, choice: Choice) -> Score:
        """The same in parts, ranked as the search ranks its own texts."""
        covered = aligned(self.attention, choice.mt.align).sum(0)
        return choice.penalties.score(self.total, len(self.tokens), covered)


def widths(choice: Choice) -> tuple[int, ...]:
    """The widths that race, the chosen one among them."""
    return tuple(sorted({*WIDTHS, choice.rules.width}))


@dataclass(frozen=True)
class Race:
    """The search and its best text in every width, narrow ones first, and what the picture shows of each."""

    searches: dict[int, Search]
    winners: dict[int, Candidate]
    lanes: list[dict]

    @property
    def best(self) -> Candidate:
        """The best text of all by score, of equals the narrowest beam's."""
        return max(self.winners.values(), key=lambda winner: winner.score)


@st.cache_resource(max_entries=16, show_spinner=False)
def race(choice: Choice) -> Race:
    """The search in every width, all in one group. Raises BadSearch."""
    options = replace(choice.options, groups=1, shown=1)
    searches = page.by_width(choice, translation.without_ranking(options), widths(choice))
    winners = {width: search.hypotheses(choice.penalties)[0] for width, search in searches.items()}
    found = Race(searches, winners, [])
    return replace(found, lanes=[_lane(choice, found, width) for width in searches])


def _lane(choice: Choice, found: Race, width: int) -> dict:
    """One width: all that it kept, its best beginning at each step, and the way of the best text of all."""
    search, winner = found.searches[width], found.winners[width]
    beginnings = beam_race.kept(search)
    lost = beam_race.loss(search, found.best)
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
        "names": output_names(choice.tokenizer, [one.token for one in beginnings]),
        "leaders": [choice.mt.text(search.path(one.node)) for one in leaders],
        "way": beam_race.way(beginnings, found.best.tokens),
        "lost": None if lost is None else {"step": lost.step, "how": lost.how},
        "text": choice.mt.text(winner.tokens) or "(nothing)",
        "score": winner.score,
        "logp": winner.parts.logp,
    }


@st.cache_resource(max_entries=256, show_spinner=False)
def written(model: str, text: str, tokens: tuple[int, ...]) -> Written:
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
