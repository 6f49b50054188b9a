"""The state of the part One product: a matrix of the model, what of its product is shown, and the scale that is
moved."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

from ..state import Rounding

LOUDEST = ""  # in place of a matrix's key: the one that reads the loudest channel
SEEN, COLORS = ("x", "w", "o"), ("size", "error", "relative")
LEAST, MOST = -10, 4  # doublings of the scale, from the one that cuts nothing


class Product(state.State):
    """A matrix, and what the picture holds: the operand that is shown, its colours, and the scale."""

    model: str
    text: str
    rounding: Rounding
    matrix = state.menu(
        N_("Matrix"),
        key="scm",
        default=LOUDEST,
        parse=str,
        label_visibility="collapsed",
        help=N_("The product of this matrix with what it reads on the text."),
    )
    see = state.live("scsee", SEEN[0], link.choice(SEEN), ends=SEEN)
    color = state.live("sccol", COLORS[0], link.choice(COLORS), ends=COLORS)
    factor = state.live("scs", 0.0, link.real(LEAST, MOST), ends=(-10.0, 4.0))
