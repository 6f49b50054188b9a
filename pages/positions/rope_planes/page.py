"""RoPE planes: every pair of dimensions turns with its position, and of the positions a score sees only their
distance."""

import streamlit as st

from pages import IN
from pages.positions.rope_planes import claims, data, guess, view
from pages.positions.rope_planes.examples import examples
from pages.positions.rope_planes.state import CLOCKS, Choice
from tlmviz.analysis.positions.rope_planes import has_planes
from tlmviz.ui import below, compute, frame, rope
from tlmviz.ui.language import _


@frame.fragment
def planes(model: str) -> None:
    """Text, query and key, and the chosen part of the page."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        if not guess.seen(shown):
            return
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS[shown.chosen.part], shown)
    below.when_painted("beneath-planes", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    part = shown.chosen.part
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown), maths=[_(claims.MATHS[part])])
    if part == CLOCKS:
        view.numbers(shown)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATIONS[part])
    frame.copy_as_python(view.snippet(shown))


@frame.saying_errors
def show(model: str) -> None:
    """The page, or for a model without RoPE the way to one that has it."""
    if has_planes(compute.model(model).config):
        planes(model)
    else:
        rope.offer_rope_models(model)


frame.heading(IN["positions/rope_planes"], examples, Choice)
show(st.session_state["model"])
