"""The part FastText: any word taken apart into n-grams, and what lies near it."""

from tlmviz.ui import frame
from tlmviz.ui.language import _

from . import claims, data, view


def show() -> None:
    """The word, its parts and neighbours, and its spelling against all words."""
    with frame.picture_first():
        shown = data.compute(view.controls())
        frame.claim(claims.CLAIMS, shown)
        view.parts(shown)
    frame.next_step(_("Type a word of your own and misspell it; then one that does not exist."))
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    view.spelling(shown)
    frame.badges(shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))
