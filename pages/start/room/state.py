"""The state of the page Classroom: a tour to open a room on, or a room by its code, and its teacher's secret."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_
from tlmviz.ui.tours.table import TOURS

LONGEST = 80  # characters of a secret


class Room(state.State):
    """Code and secret; each empty where there is none. The secret is said behind the # of the address alone (`view.secret`)."""

    tour = state.menu(N_("Tour"), {name: tour.title for name, tour in TOURS.items()}, key="rtour")
    code = state.text(
        N_("Room code"), "", key="code", longest=40, more={"max_chars": 20, "placeholder": "K7P C4M"}
    )
    secret = state.live("teach", "", link.up_to(LONGEST), said=False)
