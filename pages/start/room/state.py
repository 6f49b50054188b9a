"""The state of the page Classroom: a lesson to open a room on, or a room by its code, and its teacher's secret."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_
from tlmviz.ui.lessons.table import LESSONS

LONGEST = 80  # characters of a secret


class Room(state.State):
    """Code and secret; each empty where there is none. The secret is said behind the # of the address alone
    (`view.secret`)."""

    lesson = state.menu(N_("Lesson"), {name: each.title for name, each in LESSONS.items()}, key="rlesson")
    code = state.text(N_("Room code"), "", key="code", longest=40, more={"max_chars": 20, "placeholder": "K7P C4M"})
    secret = state.live("teach", "", link.up_to(LONGEST), said=False)
