"""The part Text to pairs: a window slides over the text, and which words stand in it together is counted."""

from tlmviz.ui import below, frame

from . import claims, data, view


def show() -> None:
    """The window and the matrix, what is thrown out, one-hot and trained vectors."""
    with frame.picture_first():
        shown = data.compute(view.controls())
        frame.claim(claims.CLAIMS, shown)
        view.window(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    below.after(shown.kept, "beneath-pairs", lambda: view.below(shown))
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
