"""Text and image: a picture laid out digit by digit, a question about it, and who looks where, both ways round."""

import streamlit as st

from pages import IN
from pages.beyond.text_and_image import claims, data, view
from pages.beyond.text_and_image.data import Data
from pages.beyond.text_and_image.examples import examples
from pages.beyond.text_and_image.state import Scene
from tlmviz.ui import below, frame
from tlmviz.ui.language import _


@frame.fragment
def show() -> None:
    """The question, the answer, the picture."""
    with frame.picture_first():
        shown = data.compute(view.controls())
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    below.when_painted("beneath-scene", lambda: _beneath(shown))


def _beneath(shown: Data) -> None:
    with st.spinner(_("Asking about fresh pictures …"), show_time=True):
        said = claims.compared(shown), claims.neighbours(shown)
    view.quality(shown)
    frame.what_to_notice(*filter(None, said))
    if shown.found:
        frame.badges(shown.checks)
    for equation in view.EQUATIONS:
        frame.equation(*equation)
    if shown.found:
        frame.copy_as_python(view.snippet(shown))


frame.heading(IN["beyond/text_and_image"], examples, Scene)
show()
