"""Draws the view "Mute & force" of the page Experts: the pass with the routing changed, and what that costs."""

from __future__ import annotations

import streamlit as st

from pages.experts.experts import compute as page
from pages.experts.experts.compute import Change
from pages.experts.experts.controls import Reading
from pages.experts.experts.routing.view import picture
from tlmviz.errors import BadConfig
from tlmviz.figures.experts import changes as figures
from tlmviz.ui import below, frame

from . import compute, controls, words
from .controls import KEY, Choice


def show(reading: Reading) -> None:
    """The controls, the picture of the changed pass, and its cost."""
    choice = controls.choose(reading)
    said = st.empty()
    try:
        page.passed(reading, choice.change)
    except (
        BadConfig
    ) as error:  # all experts muted, or too many forced: what was chosen stays, to be put right
        said.warning(words.as_trained(error))
        choice = Choice(reading, Change())
    picture(
        reading,
        choice.change,
        KEY,
        clicks=words.CLICK_TO_MUTE,
        on_expert=lambda: controls.toggle(reading),
    )
    if len(reading.tokens) < 2:
        said.info(words.TOO_SHORT)
        return
    if not said_already(choice, reading):
        said.markdown(
            words.cost(choice, page.loss(reading, Change()), page.loss(reading, choice.change)),
        )
    below.when_painted("beneath-muting", lambda: _beneath(choice))


def said_already(choice: Choice, reading: Reading) -> bool:
    """Whether a warning stands where the cost would."""
    return choice.change.nothing and bool(controls.MUTED.get() or controls.FORCED.get())


def _beneath(choice: Choice) -> None:
    reading = choice.reading
    before, after = page.loss(reading, Change()), page.loss(reading, choice.change)
    if not choice.change.nothing:
        figure = figures.losses(reading.tokens, before, after, frame.theme(), what="changed")
        frame.chart(figure, key="xlosses", alt=words.XLOSSES_ALT)
    _map(choice)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    badges = st.container()
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))
    with badges:
        frame.measured(lambda: page.checks(reading))


def _map(choice: Choice) -> None:
    """Every expert muted alone: on longer texts or of many experts only when the user asks for it."""
    reading = choice.reading
    passes = len(reading.layers) * reading.experts.count
    if len(reading.tokens) * passes > controls.MOST_PASSES and not controls.measure_all(passes):
        return
    with st.spinner(f"{passes} passes …", show_time=True):
        change = compute.each_muted(reading)
    figure = figures.change_map(
        change,
        reading.layers,
        frame.theme(),
        title=words.CHANGE_MEAN_TITLE,
    )
    frame.chart(figure, key="xmutemap", alt=words.XMUTEMAP_ALT)
