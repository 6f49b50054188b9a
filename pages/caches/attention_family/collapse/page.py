"""The part One head for all: when several heads are one, and what between two matrices ends that."""

from __future__ import annotations

from tlmviz.ui import below, frame
from tlmviz.ui.language import _

from ..data import Reading
from . import claims, view
from .data import Data


def show(reading: Reading) -> None:
    """The maps of all heads with one matrix between them, then one head's product turned by RoPE."""
    with frame.picture_first():
        shown = view.controls(reading)
        frame.claim(claims.CLAIMS, shown)
        view.maps(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-collapse", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    frame.caption(claims.caption(shown), maths=_(claims.FACTORS))
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    view.turning(shown)
    frame.measured(lambda: shown.checks)
    for equation in view.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(view.snippet(shown))
