"""The part Whole model: a model's pass with matrices chosen by hand in few bits, and what it costs."""

from pages.numbers.formats.product.view import EQUATION
from tlmviz.ui import frame

from . import claims, data, view


def show(model: str) -> None:
    """The controls, the pass along the text, and every format and matrix beneath it."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        with view.waiting(shown):
            shown.loss  # noqa: B018 (computed here, so that the spinner stands where the picture will)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    view.beneath(shown)
    frame.measured(lambda: shown.checks)
    frame.equation(*EQUATION)
    frame.copy_as_python(view.snippet(shown))
