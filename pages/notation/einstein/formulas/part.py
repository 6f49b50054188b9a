"""The part Einstein notation: a block's lines as formulas that run, and formulas of one's own, checked index by
index."""

from tlmviz.ui import deferred, frame
from tlmviz.ui.part import Own

from . import claims, view
from .data import Data
from .state import Formula


def show(model: str) -> None:
    """The formula, what it makes, and all that is below: of one that cannot be read the mistakes to try."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = Data(chosen)
        readable = view.formula(shown)
        if readable:
            frame.claim(claims.CLAIMS, shown)
            frame.caption(claims.letters(shown))
            view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    if readable:
        frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
        deferred.after(view.pictured(shown), "beneath-einstein", lambda: view.order_and_code(shown))
    view.mistakes(shown)
    frame.badges(shown.checks)
    frame.equation(*view.EQUATION)
    if readable and shown.result.plan is not None:
        code = view.snippet(shown)
        deferred.after(view.pictured(shown), "einstein-python", lambda: frame.copy_as_python(code))


PART = Own((Formula,), show)
