"""The state of the part Master weights: a weight and an update, as typed."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

LONGEST = 60  # characters of a number
STEPS = 200  # additions of one update


class Master(state.State):
    """A model and what its step reads, None for stories; a weight and what is added to it again and again."""

    model: str
    text: str | None
    weight = state.text(
        N_("Weight w"), "0.1", key="lsw", longest=LONGEST, more={"live": "150ms"}, ends=("1", "0", "-3")
    )
    update = state.text(
        N_("Update −η·g of each step"),
        "1e-4",
        key="lsu",
        longest=LONGEST,
        more={"live": "150ms"},
        ends=("0.01", "0", "1e-9"),
    )
