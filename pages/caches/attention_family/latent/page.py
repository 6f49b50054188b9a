"""The part Latent attention: the parts of a head's score, the absorbed matrices, and what RoPE would do in their
place."""

from __future__ import annotations

from tlmviz.ui import below, frame

from ..data import Reading
from . import claims, view
from .data import Data


def show(reading: Reading) -> None:
    """The scores, the matrices, the turned product, and what follows."""
    shown = view.controls(reading)
    if shown is None:
        return
    frame.claim(claims.CLAIMS, shown)
    view.scores(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-latent", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    view.folding(shown)
    view.turning(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    frame.measured(lambda: shown.reading.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
