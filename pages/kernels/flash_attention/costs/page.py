"""The part Memory and time: what tiles save at any length, on any device of the list."""

from tlmviz.ui import below, frame, menu

from . import claims, data, view


def show() -> None:
    """The cost model at the point that its controls name; text and head play no part."""
    menu.unread("text")
    shown = data.compute(view.controls())
    frame.claim(claims.CLAIMS, shown)
    view.picture(shown)
    frame.next_step(claims.HINTS, shown.point)
    below.when_painted("beneath-costs", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
