"""The state of the part Three scores: whose translation all models read, the model that is looked into, and its
step."""

from __future__ import annotations

from tlmviz.ui import link, state, translation
from tlmviz.ui.language import N_

COMMON, EACH = "One for all", "Each its own"


class Scores(state.State):
    """What is read and looked into; `step` counts from 1."""

    whose = state.menu(
        N_("Translation"),
        {COMMON: N_("One for all"), EACH: N_("Each its own")},
        key="asone",
        segments=True,
        label_visibility="collapsed",
    )
    french = translation.TRANSLATION
    inside = state.menu(
        N_("Look into"),
        key="asin",
        default="",
        parse=link.up_to(200),
        help=N_("The model to look into."),
        label_visibility="collapsed",
    )
    step = state.menu(
        N_("Target token"), key="astok", default=None, parse=link.whole(1, 9999), label_visibility="collapsed"
    )
