"""Position schemes: models that differ in their positions alone, side by side on the same text."""

import streamlit as st

from pages.positions.position_schemes import compute, controls, examples, view, words
from tlmviz.ui import frame, link


@frame.fragment
def compared() -> None:
    """View, head and text; the picture of every scheme, numbers, and what trained heads do."""
    opened = controls.choose()
    if opened is None:
        return
    choice, note = opened
    note.caption(words.about(choice))
    view.picture(choice)
    frame.what_to_notice(*words.notice(choice.view, choice.context, compute.relative_distance()))
    view.table(choice)
    st.markdown(words.HOW_FAR_HEADING)
    view.heads(choice, controls.choose_measure())
    frame.measured(lambda: compute.checks(choice.ids))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))
    link.share()


frame.heading("Position schemes", words.CLAIM, examples.examples)
compared()
