"""The state of the part Six schemes: what is drawn of each, and the head that is followed."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

from ..state import Reading

TITLES = {
    "learned": "Learned",
    "sinusoidal": "Sinusoidal",
    "relative": "Relative",
    "alibi": "ALiBi",
    "rope": "RoPE",
    "none": "None",
}
ADDED, SIMILARITY, BY_DISTANCE, EXTRAPOLATION = VIEWS = (
    "What is added",
    "Position similarity",
    "Attention by distance",
    "Extrapolation",
)
TIMES = 4  # how often the training length is read


class Schemes(state.State):
    """A view of every scheme; `head` is a layer and a head, the one that all pages share."""

    reading: Reading
    head: tuple[int, int]
    view = state.menu(
        N_("View"),
        {
            ADDED: N_("What is added"),
            SIMILARITY: N_("Position similarity"),
            BY_DISTANCE: N_("Attention by distance"),
            EXTRAPOLATION: N_("Extrapolation"),
        },
        key="pview",
        default=EXTRAPOLATION,
        segments=True,
        label_visibility="collapsed",
    )
    measure = state.menu(
        N_("Measure"),
        {"Mean distance": N_("Mean distance"), "Decay": N_("Decay")},
        key="pmeas",
        segments=True,
        label_visibility="collapsed",
    )
