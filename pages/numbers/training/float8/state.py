"""The state of the part FP8: where scales come from, how far they look back, and the tensor that is looked at."""

from __future__ import annotations

from tlmviz.analysis.numbers.float8 import CURRENT, DELAYED, NONE
from tlmviz.ui import state
from tlmviz.ui.language import N_

WINDOWS = (1, 2, 4, 8, 16)


class Float8(state.State):
    """A model and what its steps read, None for stories; the scales of its products, and one of its tensors."""

    model: str
    text: str | None
    scaling = state.menu(
        N_("Scales"),
        {DELAYED: N_("past steps"), CURRENT: N_("this step"), NONE: N_("none")},
        key="fpscale",
        segments=True,
        help=N_(
            "A tensor's scale makes room for the largest number that it had, or has. None: numbers are rounded as they "
            "are."
        ),
        spelled={DELAYED: "past", CURRENT: "this", NONE: "none"},
    )
    window = state.menu(
        N_("Past steps"),
        {str(each): str(each) for each in WINDOWS},
        key="fpwindow",
        default="16",
        segments=True,
        help=N_("A tensor's scale makes room for the largest number that it had in so many past steps."),
    )
    tensor = state.menu(N_("Tensor"), key="fptensor", default="", parse=str)
