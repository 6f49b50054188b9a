"""The part Train now: skip-gram with negative sampling on the user's own text, watched while it learns."""

from functools import partial

import streamlit as st

from tlmviz.ui import frame
from tlmviz.ui.language import _
from tlmviz.ui.part import Own

from .. import view as shared
from . import claims, data, view
from .data import Data
from .state import Training

LOOK = 0.6  # seconds between two looks at a training


def draw() -> None:
    """The part; of a text that cannot be read a sentence says what to type."""
    shared.readable(_draw)


def _draw() -> None:
    """The text, the buttons, and the training."""
    with frame.picture_first():
        shown = data.compute(*view.controls())
        (watch if shown.active else picture)(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims((), shown, more=claims.NOTICE, maths=claims.MATHS)
    if not shown.active:
        frame.badges(shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


def picture(shown: Data) -> None:
    """What holds now, and the words."""
    frame.claim(claims.CLAIMS, shown)
    view.picture(shown)
    frame.claims(claims.CLAIMS, shown)


@partial(frame.fragment, every=LOOK)
def watch(shown: Data) -> None:
    """The picture, looked at again while the training goes on; the page runs again when it has ended."""
    live = shown.live
    if not live.running:
        st.rerun()
    st.button(_("Stop"), on_click=live.stop, key="trainstop")
    picture(Data(shown.chosen, live))


PART = Own((Training,), draw)
