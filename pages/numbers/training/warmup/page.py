"""The part Warm-up: norms before and after the sublayers, and the first steps that one of them does not survive."""

from tlmviz.ui import frame, menu

from . import claims, data, view


def show(model: str) -> None:
    """Logged runs, and the gradient of an own text."""
    menu.unread("text")
    with frame.picture_first():
        shown = data.compute(view.controls())
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    text = view.own()
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown, text))
