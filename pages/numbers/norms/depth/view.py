"""Draws the view Depth: the first steps of logged runs, and the gradient of a text's loss through two networks."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.numbers.norm_depth import Flow
from tlmviz.figures.numbers import norms as figures
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs

from ..controls import Choice
from . import compute, controls, words
from .controls import STREAM, TRAINED, Depth


def show(choice: Choice, room: DeltaGenerator) -> None:
    """The view, top to bottom."""
    with frame.picture_first():
        rate, moment, of = controls.choose_runs()
        logged(rate, moment, of)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    st.markdown(f"#### {words.OWN}")
    when, layers = controls.choose_networks()
    text = inputs.text_box(shared.model(compute.PRE))
    if text is not None:
        own = Depth(rate, moment, of, when, layers)
        of_text(own, text)
        frame.measured(lambda: compute.measured(text))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(rate, moment, text))


def logged(rate: str, moment: int, of: str) -> None:
    """Losses of four runs, and their gradients through depth at one step."""
    runs = [run for run in compute.runs() if f"{run.peak:g}" == rate]
    left, right = st.columns(2)
    with left:
        figure = figures.first_steps(runs, moment, frame.theme(), title=words.first_steps_title(rate))
        frame.chart(
            figure,
            key="firststeps",
            alt=words.FIRSTSTEPS_ALT,
        )
    with right:
        lines = {}
        for run in runs:
            name, line = figures.run_style(run, frame.theme())
            at = list(run.moments).index(moment)
            lines[name] = (run.stream if of == STREAM else run.weights)[at], line
        size = next(iter(lines.values()))[0].size
        figure = figures.through_depth(
            lines,
            words.places(size),
            frame.theme(),
            title=f"Gradient {of} after step {moment}",
            y=words.LENGTH_GRADIENT_AXIS,
        )
        frame.chart(
            figure,
            key="rundepth",
            alt=words.RUNDEPTH_ALT,
        )
    frame.caption(words.runs_caption(runs))


def of_text(own: Depth, text: str) -> None:
    """The gradient of this text's loss through zoo-rope and zoo-post, or through fresh networks of their kinds."""
    theme = frame.theme()
    found: dict[str, Flow] = {
        name: compute.flow(name, text) if own.when == TRAINED else compute.flow_before(name, text, own.layers)
        for name in compute.MODELS
    }
    colors = {compute.PRE: theme.accent, compute.POST: theme.warm}
    lines = {
        words.NAMES[name]: (
            each.stream if own.of == STREAM else each.weights,
            {"color": colors[name], "width": 2.5},
        )
        for name, each in found.items()
    }
    size = found[compute.PRE].stream.size if own.of == STREAM else found[compute.PRE].weights.size
    figure = figures.through_depth(
        lines, words.places(size), theme, title=words.own_title(own), y=words.LENGTH_GRADIENT_AXIS
    )
    frame.chart(figure, key="owndepth", alt=words.OWNDEPTH_ALT)
    frame.caption(words.own_caption(found[compute.PRE], found[compute.POST]))
