"""Learning: how the heads of a training came into being, step by step, whoever trained."""

from pages import IN
from pages.attention.learning import claims, data, view
from pages.attention.learning.examples import examples
from pages.attention.learning.state import Learning
from tlmviz.ui import below, frame


@frame.fragment
def show() -> None:
    """The menus, the maps and curves with the step, and the words."""
    with frame.picture_first():
        chosen = view.controls()
        if chosen is None:
            return
        shown = data.compute(chosen)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    view.open_elsewhere(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown))
    frame.equation(*view.EQUATION)
    below.copy_as_python("learning-python", view.snippet(shown))


frame.heading(IN["attention/learning"], examples, Learning)
show()
