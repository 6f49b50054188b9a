"""Pipeline: a model's layers shared by several devices, when each works and when it waits, schedule by schedule."""

from pages.cost.pipeline import controls, examples, view, words
from tlmviz.ui import below, frame, link


@frame.fragment
def show() -> None:
    """The controls, the chosen schedule as a timeline, and all schedules side by side."""
    with frame.picture_first():
        choice = controls.choose()
        shown = view.timeline(choice)
    if shown:
        below.when_painted("beneath-pipeline", lambda: view.all_schedules(choice))
    else:  # no picture to wait for
        view.all_schedules(choice)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    view.rules()
    frame.measured(lambda: view.measured(choice))
    frame.equation(*words.EQUATION)
    if shown:
        below.copy_as_python("pipeline-python", words.snippet(choice))
    else:
        frame.copy_as_python(words.snippet(choice))
    link.share()


frame.heading("Pipeline", words.CLAIM, examples.examples)
show()
