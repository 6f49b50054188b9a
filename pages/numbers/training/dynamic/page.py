"""The part Dynamic scaling: a scale that is found while a model learns."""

from tlmviz.ui import frame, menu

from . import claims, data, view
from .state import Dynamic


def show(model: str) -> None:
    """A logged run, and all of them."""
    menu.unread("text")
    with frame.picture_first():
        Dynamic.run.draw()
        shown = data.compute(Dynamic.of_session())
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
