"""The part Master weights: updates that a format does not see, and the copy that takes up all of them."""

from tlmviz.ui import frame, inputs

from ..state import STORIES, Reading
from . import claims, view


def show(model: str) -> None:
    """A weight and an update, logged runs, and a real step."""
    with frame.picture_first():
        shown = view.controls(model)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    view.beneath(model)
    frame.equation(*view.EQUATION)
    text = None if Reading.batch.get() == STORIES else inputs.TEXT.get()
    frame.copy_as_python(view.snippet(shown, text))
