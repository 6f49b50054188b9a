"""One step of training: which way a pair of words moves the vectors, by softmax, by samples, from a mean, down a tree."""

import streamlit as st

from pages.words.training_step import compute, controls, examples, view, words
from tlmviz.ui import frame

_STYLE = """<style>
@media (max-width: 640px) {
  .st-key-step-controls [data-testid="stColumn"] { min-width: calc(50% - 1rem); }
  .st-key-step-controls [data-testid="stColumn"]:first-child { min-width: 100%; }
}
</style>"""


@frame.fragment
def show() -> None:
    """The pair, the picture of the chosen method, its cost, and what is to be seen."""
    with st.container(key="step-controls"):
        choice = controls.choose()
    if choice is None:
        return
    view.PICTURES[choice.part](choice)
    for field in controls.FIELDS.values():
        field.share()
    frame.what_to_notice(*words.notice(choice), maths=words.NOTICE_MATHS[choice.part])
    with st.spinner("Measuring …"):
        view.costs(choice)
    frame.badges(compute.checks(compute.pair_of(choice)))
    frame.equation(*words.EQUATIONS[choice.part])
    frame.copy_as_python(words.snippet(choice))


st.html(_STYLE)
frame.heading("One step of training", words.CLAIM, examples.examples)
show()
