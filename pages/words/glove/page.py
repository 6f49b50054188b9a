"""GloVe: how often words meet, the ratios of two words against probes, and vectors that fit the logarithm of the counts."""

from pages.words.glove import compute, controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show() -> None:
    """Two words against probes, the counts, their weights and their fit."""
    with frame.picture_first():
        choice = controls.choose()
        if choice is None:
            return
        found = compute.table(choice)
        view.ratios(choice, found)
    frame.what_to_notice(*words.notice(choice, found), maths=words.NOTICE_MATHS)
    view.maps(choice, found)
    view.fit(choice, found)
    frame.badges(compute.measured())
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, found))


frame.heading("GloVe", words.CLAIM, examples.examples)
show()
