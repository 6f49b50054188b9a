"""RoPE planes: every pair of dimensions is a clock hand that turns with its position; a score sees only the angles."""

import streamlit as st

from pages.positions.rope_planes import compute as rope_state
from pages.positions.rope_planes import view as rope_parts
from tlmviz.analysis.positions.rope_planes import has_planes
from tlmviz.errors import Error
from tlmviz.ui import compute, frame, inputs, link, rope

# Dials and bars need about 900 px: a phone scrolls them sideways.
_WIDE = "<style>.st-key-wide { overflow-x: auto; } .st-key-wide > div { min-width: 880px; }</style>"


@frame.fragment
def show(name: str) -> None:
    """Text, head, query and key, and the chosen part of the page."""
    text = inputs.text_box(compute.model(name))
    if text is None:
        return
    head, where, room = rope_state.place(name, compute.trace(name, text))
    part = room.segmented_control(
        "Part",
        rope_state.PARTS,
        default=rope_state.PARTS[0],
        key="rpart",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if part == "Clocks":
        rope_parts.clocks(name, text, head, where)
    elif part == "Step by step":
        rope_parts.steps(name, text, head, where)
    elif part == "Layouts":
        rope_parts.layouts(name, text, where)
    else:
        rope_parts.heads(name, text, head)
    link.share()


st.html(_WIDE)
frame.heading(
    "RoPE planes", "Each pair of dimensions is a clock hand; a score sees only the angle between two hands."
)
model = st.session_state["model"]
try:
    if has_planes(compute.model(model).config):
        show(model)
    else:
        rope.offer_rope_models(model)
except Error as error:
    st.error(str(error))
