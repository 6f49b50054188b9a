"""Inside a block: every step of one layer on the user's text or sentence pair, with the line of code that did it."""

import streamlit as st

from pages.attention.inside_block import compute, controls, examples, view, words
from pages.attention.inside_block.controls import Choice
from tlmviz.ui import frame, translation


@frame.fragment
def steps(choice: Choice) -> None:
    """The steps, and the chosen one's picture, code, equation and product."""
    with frame.picture_first():
        first = st.container() if choice.pair else None  # its many steps would push the picture down
        with frame.after_picture(pairs=False):
            choice = controls.choose_step(choice)
        with first or st.container():
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
    frame.copy_as_python(words.snippet(choice, step))


@frame.fragment
def residual(choice: Choice) -> None:
    """What every sublayer adds to the stream, and what the head could read from it on the way."""
    st.markdown("## The residual stream")
    view.growth(choice)
    view.logit_lens(choice)


@frame.saying_errors
def show(model: str) -> None:
    """The whole page for one model. The text box is outside the fragments: both follow it."""
    translates = model in translation.transformers()
    opened = controls.choose_pair(model) if translates else controls.choose(model)
    if opened is None:
        return
    steps(opened)
    if not translates:
        residual(opened)
    notice = words.NOTICE_PAIR if translates else words.NOTICE
    frame.what_to_notice(*notice, maths=words.NOTICE_MATHS[translates:])
    frame.measured(lambda: compute.checks(opened))


frame.heading("Inside a block", words.CLAIM, examples.examples)
show(st.session_state["model"])
