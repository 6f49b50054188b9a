"""The parts Scores, Logits and Isotropy: sums of many numbers grow with their number, and what training adds."""

from pages.numbers.norms import guess
from tlmviz.ui import frame

from ..state import SCORES
from . import claims, data, view


def show(model: str, part: str) -> None:
    """The controls and the chosen question."""
    with frame.picture_first():
        chosen = view.controls(model, part)
        if chosen is None:
            return
        shown = data.compute(chosen)
        if part == SCORES and not guess.seen(shown):
            return
        frame.claim(claims.CLAIMS[part], shown)
        view.DRAW[part](shown)
    frame.next_step(claims.HINTS[part], shown)
    frame.claims(claims.CLAIMS[part], shown, more=claims.notice(part), maths=claims.maths(part))
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATIONS[part])
    frame.copy_as_python(view.snippet(part, shown))
