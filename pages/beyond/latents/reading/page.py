"""The part Reading digits: a picture of nine digits, picked or drawn, and where every latent looks."""

from __future__ import annotations

from tlmviz.ui import address, below, frame
from tlmviz.ui.language import _

from . import claims, data, view
from .data import Data
from .state import MODELS


def show() -> None:
    """The picture, then what to notice and all that is below."""
    shown = data.compute(view.controls())
    address.pictures_read(model=MODELS[shown.chosen.latents])
    with frame.picture_first():
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-latents", lambda: _beneath(shown))


def _beneath(shown: Data) -> None:
    frame.claims((*claims.CLAIMS, *claims.BENEATH), shown, more=claims.NOTICE, maths=[_(claims.MATHS)])
    view.quality(shown)
    if shown.found:
        frame.badges(shown.checks)
    for equation in view.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(view.snippet(shown))
