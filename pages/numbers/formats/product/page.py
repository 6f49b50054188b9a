"""The part One product: what a format of few bits leaves of one product when a scale serves a tensor, a channel or a
block."""

from tlmviz.ui import below, frame

from . import claims, data, view


def show(model: str) -> None:
    """The controls, the product in maps and dots, and what is beneath."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    below.when_painted("beneath-scaling", lambda: view.beneath(shown))
    frame.equation(*view.EQUATION)
    below.copy_as_python("scaling-python", view.snippet(shown))
