"""The part Tiles: one head's attention, tile by tile, with the kernel's lines beside it."""

from streamlit.delta_generator import DeltaGenerator

from tlmviz.ui import below, frame

from ..state import Query
from . import claims, data, view


def show(at: Query, room: DeltaGenerator) -> None:
    """The tiles that the controls name, walked by the kernel."""
    shown = data.compute(chosen := view.controls(at, room))
    frame.claim(claims.CLAIMS, shown)
    view.picture(shown)
    frame.next_step(claims.HINTS, chosen)
    below.when_painted("beneath-tiles", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    view.kernel(shown)
    frame.badges(shown.checks)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.maths(shown))
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
