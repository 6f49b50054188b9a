"""The part Race: beams of several widths that advance together, and a translation that the reader writes against
them."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from tlmviz.ui import below, frame

from .. import data as tree
from .. import view as shared
from . import claims, data, view


def show(base: tree.Data, place: DeltaGenerator) -> None:
    """The race, and what it shows in sentences."""
    shown = data.compute(base)
    with place:
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-race", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    frame.equation(*shared.EQUATION)
    frame.copy_as_python(view.snippet(shown))
