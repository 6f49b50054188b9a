"""Context extension: RoPE's frequencies scaled so that a trained model reads beyond its training length, live."""

import streamlit as st

from pages.positions.context_extension import compute, controls, examples, view, words
from pages.positions.context_extension.controls import Choice
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, link, rope


@frame.fragment
def extended(model: str) -> None:
    """Text, scale and schemes; loss beside frequencies; what follows from a change of scale."""
    with frame.picture_first():
        with frame.after_picture():
            choice = controls.choose(model)
        if choice is None:
            return
        losses = view.picture(choice)
    view.table(choice, losses)
    frame.what_to_notice(*words.notice(choice), maths=words.NOTICE_MATHS)
    switched(choice)
    link.share()


@frame.fragment
def switched(choice: Choice) -> None:
    """A change of scale with a full cache; identities, equation and code."""
    st.markdown(words.SCALE_CHANGES_HEADING)
    if len(choice.ids) < controls.SHORTEST_SWITCH:
        st.info(words.TOO_SHORT_TO_SWITCH)
    else:
        choice, note = controls.choose_switch(choice)
        note.caption(words.about_switch(choice))
        view.switch(choice)
    frame.measured(lambda: [*compute.checks(choice), *compute.shipped_check(choice)])
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))


@frame.saying_errors
def show(model: str) -> None:
    """The page, or for a model without RoPE the way to one that has it."""
    config = shared.model(model).config
    if config.positions.kind == "rope" and config.one_rope and config.positions.scaling == "none":
        extended(model)
    else:
        rope.offer_rope_models(model)


frame.heading("Context extension", words.CLAIM, examples.examples)
show(st.session_state["model"])
