"""The part Rank-1 pictures: a matrix as a sum of outer products, by columns, by rows, of a product and of the SVD."""

from tlmviz.ui import below, frame

from . import claims, data, view


def show(model: str) -> None:
    """The matrix, its terms added one by one, and the words."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    below.when_painted("beneath-rank", lambda: view.needed(shown))
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    below.copy_as_python("rank-python", view.snippet(chosen))
