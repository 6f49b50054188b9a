"""The state of the part Force attention: pins, as text."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_


class Forced(state.State):
    """Pins such as "3-5 4-1"; without any the page sets one."""

    pins = state.text(
        N_("Pins"),
        "",
        key="apin",
        ends=("3-2", "1-1 3-1"),
        more={"placeholder": "3-5"},
        help=N_(
            "A step and a source token, counted from 1, such as 3-5; several are separated by spaces. A click on a "
            "cell of the left map pins it."
        ),
    )
