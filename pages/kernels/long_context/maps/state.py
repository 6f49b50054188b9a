"""The state of the part Maps: the tile that is opened, the queries that are read, and a statistic of all heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.analysis.kernels.long_context import LONGEST
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

STATISTICS = {  # as links spell them: field of Survey, title, format, upper end of the colour scale
    "Previous token": ("previous", N_("Mass on the token before (probability)"), ".2f", 1.0),
    "Sink": ("first", N_("Mass on the first token (probability)"), ".3f", None),
    "Itself": ("own", N_("Mass on the query's own token (probability)"), ".2f", 1.0),
    "Mean distance": ("distance", N_("Mean distance (tokens back)"), ",.0f", None),
    "Beyond training": ("beyond", N_("Mass farther back than the training length (probability)"), ".3f", None),
}


@dataclass
class _Asked(state.Control):
    """A number of a tile that was asked for: its box shows the one that is drawn, the link keeps the other."""

    def draw(self, place: Any = st, unchosen: Any = None, **more: Any) -> Any:
        return self._drawn(place, unchosen, {"value": unchosen}, self.label, **more)


def _asked(label: str, key: str, default: int, least: int) -> Any:
    more = {"min_value": -LONGEST, "step": 1, "format": "%d"}
    return _Asked(
        key, default, link.whole(least, 999_999), widget="number_input", label=label, more=more, ends=(least, 999_999)
    )


class Tile(state.State):
    """The tile's first query, first key and side, kept as they were asked for; whether the overview reads every
    query."""

    row = _asked(N_("From query"), "trow", 1040, 0)
    col = _asked(N_("From key"), "tcol", 1028, 0)
    side = _asked(N_("Tokens"), "tside", 20, 1)
    every = state.toggle(
        N_("Read every query for the overview of all heads"),
        key="every",
        help=N_("Slower: at 16,384 tokens a minute or more. The middle map and the tile always read every query."),
    )
    statistic = state.menu(N_("Statistic"), tuple(STATISTICS), key="lstat", label_visibility="collapsed")
