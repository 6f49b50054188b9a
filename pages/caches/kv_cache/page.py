"""KV cache: generation token by token, what is kept and what is not, and what that costs in bytes and time."""

import streamlit as st

from pages.caches.kv_cache import (
    controls,
    examples,
    guess,
    view,
    view_calculator,
    view_cost,
    view_models,
    words,
)
from tlmviz.ui import frame

DRAW = {
    controls.STEPS: view.steps,
    controls.COST: view_cost.with_and_without,
    controls.SIDE_BY_SIDE: view_models.side_by_side,
    controls.CALCULATOR: view_calculator.calculator,
}


@frame.fragment
def show(model: str) -> None:
    """The controls and the chosen view."""
    choice = controls.choose(model)
    if choice is not None and guess.seen(choice):
        DRAW[choice.view](choice)


frame.heading("KV cache", words.CLAIM, examples.examples)
show(st.session_state["model"])
