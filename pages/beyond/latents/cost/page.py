"""The part Cost: what self-attention and latents compute, as areas, and measured."""

from __future__ import annotations

from tlmviz.ui import below, frame

from . import claims, data, view
from .data import Data
from .state import Cost


def show() -> None:
    """The picture, then the measured times."""
    shown = data.compute(Cost.of_session())
    frame.claim(claims.CLAIMS, shown)
    view.picture()
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-cost", lambda: _beneath(shown))


def _beneath(shown: Data) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    view.times(shown)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.SNIPPET)
