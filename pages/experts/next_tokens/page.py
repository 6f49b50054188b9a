"""Next tokens: what is predicted several tokens ahead from every position, and how that makes writing quicker."""

from pages import IN
from pages.experts.next_tokens import claims, data, view
from pages.experts.next_tokens.examples import examples
from pages.experts.next_tokens.state import Ahead
from tlmviz.ui import below, frame


@frame.fragment
def show() -> None:
    """The text and what is predicted, or written, from there on."""
    with frame.picture_first():
        shown = data.compute(view.controls())
        if said := claims.cut(shown):
            frame.caption(said)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown), maths=claims.maths(shown))
    below.when_painted("beneath-ahead", lambda: view.below_it(shown))
    for equation in view.equations(shown.chosen):
        frame.equation(*equation)
    below.copy_as_python("ahead-python", view.snippet(shown))


frame.heading(IN["experts/next_tokens"], examples, Ahead)
show()
