"""Pipeline: a model's layers shared by several devices, when each works and when it waits, schedule by schedule."""

from pages import IN
from pages.cost.pipeline import claims, data, view
from pages.cost.pipeline.examples import examples
from pages.cost.pipeline.state import Choice
from tlmviz.ui import below, frame


@frame.fragment
def show() -> None:
    """The controls, the chosen schedule as a timeline, and all schedules side by side."""
    with frame.picture_first():
        shown = data.compute(view.controls())
        frame.claim(claims.CLAIMS, shown)
        view.timeline(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    below.after(shown.run, "beneath-pipeline", lambda: view.all_schedules(shown))
    view.rules()
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    below.after(shown.run, "pipeline-python", lambda: frame.copy_as_python(view.snippet(shown)))


frame.heading(IN["cost/pipeline"], examples, Choice)
show()
