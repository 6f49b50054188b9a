"""The part One step: which way a pair of words moves the vectors, by softmax, by samples, from a mean, down a tree."""

from tlmviz.ui import below, frame

from . import claims, data, view


def show() -> None:
    """The pair, the picture of the chosen method, and its cost."""
    with frame.picture_first():
        shown = data.compute(view.controls())
        view.refused(shown)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    method = shown.chosen.method
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(method), maths=claims.maths(method))
    below.when_painted("beneath-step", lambda: view.costs(shown))
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATIONS[method])
    frame.copy_as_python(view.snippet(shown))
