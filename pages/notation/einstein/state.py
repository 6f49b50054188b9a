"""The state of the page Matrices and indices: the part that is open."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

FORMULAS, RANK = "formulas", "rank"


class Part(state.State):
    """Which part of the page is open."""

    part = state.parts(N_("Part"), {FORMULAS: N_("Einstein notation"), RANK: N_("Rank-1 pictures")}, key="enpart")
