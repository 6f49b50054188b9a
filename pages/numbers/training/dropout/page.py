"""The part Dropout: masks thrown by a die, what their mean gives back, and what they do to the loss."""

from tlmviz.ui import below, frame

from . import claims, data, view


def show(model: str) -> None:
    """An activation under masks, and the text's loss under masks."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    below.when_painted("beneath-dropout", lambda: view.beneath(shown))
    frame.equation(*view.EQUATION)
    below.copy_as_python("dropout-python", view.snippet(shown))
