"""The state of the part Context extension: how much is read, by which schemes, and a change of scale within the
text."""

from __future__ import annotations

from tlmviz.layers.scaling import SCALINGS
from tlmviz.ui import state
from tlmviz.ui.language import N_

from ..state import Reading

TIMES = (1.5, 2, 3, 4)  # how often the training length is read
PLAIN, DYNAMIC = "Unscaled", "Dynamic NTK"
GROWN = "Dynamic NTK (rotated keys)"
SCHEMES = (*SCALINGS, GROWN)
STATIC = tuple(name for name in SCALINGS if name not in (PLAIN, DYNAMIC))
SHARES = (0.25, 0.5, 0.75, 1.0)  # of the training length, after which the scale changes
LARGEST_SCALE = 32.0


class Extension(state.State):
    """Schemes that read a text which may be longer than the training length, and a change of scale within it."""

    model: str
    reading: Reading
    times = state.menu(
        N_("Tokens read"),
        TIMES,
        key="xtimes",
        default=3,
        widget="select_slider",
        label_visibility="collapsed",
        spelled={times: f"read {times:g} × training length" for times in TIMES},
    )
    scale = state.slider(
        N_("Scale s"),
        1.0,
        LARGEST_SCALE,
        3.0,
        step=0.5,
        key="xscale",
        help=N_("s = L′ / L: how many times the training length is to be read. The dynamic scheme chooses its own."),
    )
    schemes = state.several(
        N_("Schemes"), SCHEMES[1:], key="xs", default=("YaRN",), label_visibility="collapsed", wrap=True
    )
    difference = state.toggle(
        N_("Change only"), key="xdiff", help=N_("Subtract the unscaled model's loss, token by token")
    )
    switch_to = state.menu(N_("Switch to"), STATIC, key="xsw", default=STATIC[1], label_visibility="collapsed")
    share = state.menu(
        N_("After"),
        SHARES,
        key="xat",
        default=SHARES[-1],
        widget="select_slider",
        label_visibility="collapsed",
        spelled={share: f"after {share:.0%} of training length" for share in SHARES},
    )

    @property
    def compared(self) -> tuple[str, ...]:
        """The unscaled model and what it is compared with."""
        return PLAIN, *self.schemes
