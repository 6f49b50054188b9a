"""Inside a block: every step of one layer on the user's text, with the line of code that did it."""

import streamlit as st

from pages.attention.inside_block import compute, controls, examples, view, words
from pages.attention.inside_block.controls import Choice
from tlmviz.analysis.attention.steps import snippet
from tlmviz.ui import compute as shared
from tlmviz.ui import frame


@frame.fragment
def steps(choice: Choice) -> None:
    """The steps, and the chosen one's picture, code, equation and product."""
    with frame.picture_first():
        with frame.after_picture(pairs=False):
            choice = controls.choose_step(choice)
        view.row(choice)
    step, number = compute.step(choice), choice.steps.index(choice.step) + 1
    st.markdown(f"**{number}/{len(choice.steps)} {step.name}.** {step.sentence}")
    view.picture(choice, step)
    if step.product is not None:
        view.cell(choice, step)
    code, formula = st.columns(2)
    with code:
        for source in step.sources:
            st.code(source.code, language="python", wrap_lines=True)
            st.caption(source.where)
    with formula:
        frame.equation(step.latex, step.reference)
    frame.copy_as_python(snippet(choice.model, choice.text, step))


@frame.fragment
def residual(choice: Choice) -> None:
    """What every sublayer adds to the stream, and what the head could read from it on the way."""
    st.markdown("## The residual stream")
    view.growth(choice)
    view.logit_lens(choice)


@frame.saying_errors
def show(model: str) -> None:
    """The whole page for one model. The text box is outside the fragments: both follow it."""
    opened = controls.choose(model)
    if opened is None:
        return
    steps(opened)
    residual(opened)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    frame.measured(lambda: shared.checks(opened.model, opened.text))


frame.heading("Inside a block", words.CLAIM, examples.examples)
show(st.session_state["model"])
