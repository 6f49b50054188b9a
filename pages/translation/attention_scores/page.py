"""Attention scores: dot, general and additive on one sentence, the context as a mixture, and SDPA as the general case."""

import streamlit as st

from pages.translation.attention_scores import compute as scores_state
from pages.translation.attention_scores import view as scores_parts
from tlmviz.errors import BadText
from tlmviz.ui import frame
from tlmviz.ui import translation as translation_state


@frame.fragment
def shown(names: list[str], chosen: str) -> None:
    """The sentence, every model's map, one step in detail, the table, and the same by SDPA."""
    text = translation_state.sentence_box(translation_state.model(chosen))
    if text is None:
        return
    try:
        view = scores_state.controls(names, chosen, text)
    except BadText as error:
        st.warning(str(error))
        return
    scores_parts.maps(view)
    scores_parts.step(view)
    frame.what_to_notice(*scores_parts.POINTS)
    scores_parts.entropies(view)
    with st.spinner("Measuring …"):
        scores_parts.table(view)
    used = scores_parts.special_case(view)
    frame.badges(scores_state.checks(view.reads[used or view.inside]))
    frame.equation(scores_parts.EQUATION, scores_parts.SOURCE)
    frame.copy_as_python(scores_parts.snippet(view))


frame.heading(
    "Attention scores",
    "Three ways to compare what is written with what was read.",
    translation_state.examples,
)
recurrent = scores_state.recurrent()
if recurrent:
    shown(recurrent, st.session_state["mt"])
else:
    st.info(scores_parts.NONE)
