"""Inside a block: every step of one layer on the user's text, with the line of code that did it."""

import streamlit as st

from pages.attention.inside_block import compute as block_state
from pages.attention.inside_block import view as block_parts
from tlmviz.analysis.attention.steps import snippet, step_names
from tlmviz.errors import Error
from tlmviz.figures.attention import block
from tlmviz.ui import compute, frame, inputs


@frame.fragment
def steps(name: str, text: str, layer: int, head: int, position: int, room) -> None:
    """The stepper, and the chosen step's picture, code, equation and product."""
    names = step_names(compute.model(name).config)
    current = block_state.stepper(names)
    count = names.index(current) + 1
    with room:
        strip = block.pipeline(names, current, layer, frame.theme())
        frame.chart(
            strip, key="pipeline", alt=f"Step {count} of {len(names)}, {current}, along the residual stream"
        )
    step = block_state.step(name, text, current, layer, head)
    st.markdown(f"**{count}/{len(names)} {step.name}.** {step.sentence}")
    block_parts.picture(step, compute.trace(name, text).tokens, position)
    if step.product is not None:
        block_parts.cell(name, text, current, layer, head, position)
    code, formula = st.columns(2)
    with code:
        for source in step.sources:
            st.code(source.code, language="python", wrap_lines=True)
            st.caption(source.where)
    with formula:
        frame.equation(step.latex, step.reference)
    frame.copy_as_python(snippet(name, text, step))


@frame.fragment
def residual(name: str, text: str, position: int) -> None:
    """What every sublayer adds to the stream, and what the head could read from it on the way."""
    st.markdown("## The residual stream")
    block_parts.growth(name, text, position)
    block_parts.logit_lens(name, text, position)


def show(name: str) -> None:
    """The whole page for one model."""
    lm = compute.model(name)
    text = inputs.text_box(lm)
    if text is None:
        return
    layer, head, position, room = inputs.head_and_token_menus(lm.config, compute.trace(name, text).tokens)
    steps(name, text, layer, head, position, room)
    residual(name, text, position)
    frame.what_to_notice(
        "The stream keeps its shape: every sublayer ends at `[B, T, C]` again and *adds* to what is there.",
        "Up to *scale*, a token's scores see the future; after *mask* and *softmax*, a row is a distribution over the past.",
        "In the logit lens, a tied head reads the embedding as the token itself; the next word forms layer by layer.",
    )
    frame.badges(compute.checks(name, text))


frame.heading(
    "Inside a block",
    "Every step of one layer on your text: the tensor, its shape, the line of code that made it.",
)
try:
    show(st.session_state["model"])
except Error as error:
    st.error(str(error))
