"""The part One number: its bits to click, and what every format makes of it; a model's numbers in the chosen format."""

from pages.numbers.formats import guess
from tlmviz.ui import below, frame

from . import claims, data, view
from .state import Bits


def show(model: str) -> None:
    """The picture, the model's numbers, the table of all formats, and the words."""
    shown = data.compute(Bits.of_session())
    if not guess.seen(shown):
        return
    frame.claim(claims.CLAIMS, shown)
    view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    text = view.text_of(model)
    if text is not None:
        below.when_painted("beneath-formats", lambda: view.models_numbers(model, text))
    view.table()
    frame.equation(*view.EQUATION)
    below.copy_as_python("formats-python", view.snippet(shown, model, text))
