"""Train a transformer: a small network learns in the reader's browser, from random numbers to heads that do
something."""

from pages import IN
from pages.start.train import claims, data, view
from pages.start.train.examples import examples
from pages.start.train.state import INDUCTION, Choice
from tlmviz.ui import frame, onward
from tlmviz.ui.language import _


@frame.fragment
def show() -> None:
    """The controls, and the runs as they learn."""
    with frame.picture_first():
        shown = data.compute(view.controls())
        frame.claim(claims.CLAIMS, shown)
        view.runs(shown)
    if shown.chosen.task == INDUCTION:
        onward.links([onward.Onward(_("The same in a language model, step by step"), "learning")])
    below = claims.BEFORE if view.asks(shown.chosen) else claims.CLAIMS
    frame.claims(below, shown, more=claims.notice(shown), maths=claims.MATHS)
    frame.equation(*view.EQUATION)


frame.heading(IN["start/train"], examples, Choice)
show()
