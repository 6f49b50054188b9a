"""The part FastText: any word taken apart into n-grams, and what lies near it."""

from tlmviz.ui import address, frame

from . import claims, data, view


def show() -> None:
    """The word, its parts and neighbours, and its spelling against all words."""
    with frame.picture_first():
        shown = data.compute(chosen := view.controls())
        address.pictures_read(model=data.MODEL)
        frame.claim(claims.CLAIMS, shown)
        view.parts(shown)
    frame.next_step(claims.HINTS, chosen)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    view.spelling(shown)
    frame.badges(shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
