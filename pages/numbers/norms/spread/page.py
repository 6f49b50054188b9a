"""The parts Scores, Logits and Isotropy: sums of many numbers grow with their number, and what training adds."""

from pages.numbers.norms import guess
from tlmviz.ui import frame
from tlmviz.ui.language import _

from ..state import ISOTROPY, LOGITS, SCORES
from . import claims, data, view

NEXT = {
    SCORES: lambda: _("Choose another head: some pull together, some do not."),
    LOGITS: lambda: _("Write another text: the spread follows it, token by token."),
    ISOTROPY: lambda: _(
        "Point at the tokens far from the cross; then choose stories-gpt, whose head is its own."
    ),
}


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
    frame.next_step(NEXT[part]())
    frame.claims(claims.CLAIMS[part], shown, more=claims.notice(part), maths=claims.maths(part))
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATIONS[part])
    frame.copy_as_python(view.snippet(part, shown))
