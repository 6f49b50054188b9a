"""RoPE planes: every pair of dimensions turns with its position, and a score depends only on the angles between them."""

import streamlit as st

from pages.positions.rope_planes import (
    compute,
    controls,
    examples,
    guess,
    view_clocks,
    view_heads,
    view_layouts,
    view_steps,
    words,
)
from tlmviz.analysis.positions.rope_planes import has_planes
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, link, rope

VIEWS = {
    controls.CLOCKS: view_clocks.picture,
    controls.STEPS: view_steps.picture,
    controls.LAYOUTS: view_layouts.picture,
    controls.HEADS: view_heads.picture,
}


@frame.fragment
def planes(model: str) -> None:
    """Text, head, query and key, and the chosen part of the page."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        choice, note = controls.choose_part(choice)
        if not guess.seen(choice):
            return
        if sentence := words.about(choice):
            note.caption(sentence)
        with st.spinner(
            f"{model} reads the text …", show_time=True
        ):  # with other rotations too, and writes on
            VIEWS[choice.part](choice)
    frame.measured(lambda: compute.checks(choice))
    frame.what_to_notice(*words.NOTICE[choice.part], maths=words.NOTICE_MATHS[choice.part])
    frame.equation(*words.EQUATIONS[choice.part])
    frame.copy_as_python(words.SNIPPETS[choice.part](choice))
    link.share()


@frame.saying_errors
def show(model: str) -> None:
    """The page, or for a model without RoPE the way to one that has it."""
    if has_planes(shared.model(model).config):
        planes(model)
    else:
        rope.offer_rope_models(model)


frame.heading("RoPE planes", words.CLAIM, examples.examples)
show(st.session_state["model"])
