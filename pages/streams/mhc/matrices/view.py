"""Draws the view "Matrices" of the page mHC: H_pre, H_post and H_res of every sublayer at every token, one in detail."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from pages.streams.mhc.view import offer
from tlmviz.figures.streams import matrices as figures
from tlmviz.ui import below, frame
from tlmviz.ui import compute as shared
from tlmviz.ui import reading as level

from . import compute, controls, words
from .component import matrices_view
from .controls import Choice


def show(reading: Reading) -> None:
    """The picture, what stands out in it, and the distances of all matrices."""
    kind = reading.connection.kind
    if kind == "residual":
        _one_stream(reading)
    choice = controls.choose(reading)
    matrices_view(compute.sent(choice), key=controls.KEY, on_change=controls.keep_choice)
    below.when_painted("beneath-matrices", lambda: _beneath(choice))


def _beneath(choice: Choice) -> None:
    """What stands out, the distances of all matrices, the equation, the code, and the badges."""
    kind = choice.reading.connection.kind
    frame.what_to_notice(
        *_notice(choice),
        maths=() if kind == "residual" else words.notice_maths(compute.extremes(choice.reading)),
    )
    if kind != "residual":
        _distances(choice)
    badges = st.container()
    frame.equation(*words.EQUATIONS[kind])
    frame.copy_as_python(words.snippet(choice))
    with badges:  # last: they take the longest to measure
        frame.badges(page.checks(choice.reading))


def _one_stream(reading: Reading) -> None:
    """What there is to see of a plain residual, and a way to a model with more streams."""
    left, right = st.columns([0.8, 0.2], vertical_alignment="center")
    left.info(words.one_stream(reading.model))
    if shared.DEFAULT_STREAM_MODEL in shared.stream_models():
        offer(right, shared.DEFAULT_STREAM_MODEL, key="smother")


def _notice(choice: Choice) -> list[str]:
    """What this text shows, measured."""
    kind = choice.reading.connection.kind
    if kind == "residual":
        return [words.NOTICE_ONE_STREAM]
    extremes = compute.extremes(choice.reading)
    if kind == "manifold":
        last = words.notice_constrained(extremes, compute.permutations(choice))
    else:
        last = words.notice_free(extremes)
    return [*words.notice(extremes), last]


def _distances(choice: Choice) -> None:
    """The distances of all matrices of the text, as a map and as curves."""
    reading, values, theme = choice.reading, compute.distances(choice.reading), frame.theme()
    names = words.distances(level.maths())
    name = controls.choose_distance(names)
    place = choice.sublayer, choice.token
    left, right = st.columns([0.58, 0.42])
    with left:
        frame.chart(
            figures.distance_map(
                values[name], reading.sublayers, reading.tokens, f"Distance {names[name]}", place, theme
            ),
            key="smmap",
            alt=words.smmap_alt(names[name]),
        )
    with right:
        frame.chart(
            figures.distance_curves(
                {names[each]: value for each, value in values.items()},
                reading.sublayers,
                choice.sublayer,
                theme,
            ),
            key="smcurves",
            alt=words.SMCURVES_ALT,
        )
