"""The part Morph: keys and values merge into groups, into one, into a latent; what each keeps and costs."""

from __future__ import annotations

from tlmviz.ui import below, frame

from .. import guess
from ..data import Reading
from . import claims, view
from .data import Data


def show(reading: Reading) -> None:
    """The morph, its matrices, and what follows."""
    with frame.picture_first():
        with frame.after_picture(pairs=False):
            shown = view.controls(reading)
        if not guess.seen(shown.sizes):
            return
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-morph", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    frame.caption(claims.caption(shown), maths=claims.absorbed(shown))
    view.matrices(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    frame.measured(lambda: shown.reading.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
