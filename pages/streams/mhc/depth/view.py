"""Draws the view "Depth" of the page mHC: products of mixing matrices, passes through the streams, and a simulation."""

from __future__ import annotations

from dataclasses import fields

import streamlit as st

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from pages.streams.mhc.view import note_missing
from tlmviz.analysis.streams.depth import Depth
from tlmviz.figures import token_labels
from tlmviz.figures.streams import depth as figures
from tlmviz.figures.streams import passes as pass_figures
from tlmviz.ui import frame

from . import compute, controls, words
from .controls import BACKWARD, FORWARD, MEAN, ONE_TOKEN, Choice

BUDGET = 1_250_000  # characters of frames that a browser may be sent; a longer text is walked by the server


def show(reading: Reading) -> None:
    """Products of mixing matrices for the whole family, what passed through the streams, and a simulation."""
    choice, family = controls.choose(reading), page.family(reading.model)
    with frame.wide("spwide", 800):
        picture = st.container()
    _products(choice, {kind: compute.products(reading.by(model)) for kind, model in family.items()}, picture)
    note_missing(family)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    badges = st.container()
    _passes({kind: reading.by(model) for kind, model in family.items()})
    _simulation(choice)
    with badges:  # last: they take the longest to measure
        frame.badges(page.checks(reading))


# --- products -----------------------------------------------------------------------------------------


def _products(choice: Choice, depths: dict[str, Depth], picture) -> None:
    """The picture of all products, with a slider of tokens where they are drawn for one token."""
    tokens = choice.reading.tokens
    labels = [f"{number} · {name}" for number, name in enumerate(token_labels(tokens))]
    heading, start = choice.over.lower(), 0
    if choice.over != ONE_TOKEN:
        depths = {
            kind: depth.mean() if choice.over == MEAN else depth.max() for kind, depth in depths.items()
        }
        labels = [choice.over]
    elif sum(_characters(depth) for depth in depths.values() if depth.singular.shape[-1] > 1) > BUDGET:
        token = controls.choose_token(choice)
        depths, labels = {kind: depth.at(token) for kind, depth in depths.items()}, [labels[token]]
        heading = f"token {labels[0]}"
    else:
        heading, start = words.AT_SLIDER, controls.walk(choice)
    figure = figures.products(
        {kind: _arrays(depth, choice.gain) for kind, depth in depths.items()},
        choice.reading.sublayers,
        labels,
        start if len(labels) > 1 else 0,
        frame.theme(),
        title=words.every_product_title(choice.gain, heading),
        what=words.direction(choice.gain),
    )
    with picture:
        frame.chart(
            figure,
            key=controls.PRODUCTS,
            alt=words.products_alt(choice.gain),
        )


def _characters(depth: Depth) -> float:
    """About how many characters the frames of all tokens of one model take: 6.5 a number, and what stands around them."""
    numbers = depth.forward[0].numel() + depth.singular[0].numel() + 3 * depth.own[0].numel()
    return len(depth.own) * (6.5 * numbers + 1600)


def _arrays(depth: Depth, gain: str) -> figures.Products:
    arrays = {field.name: getattr(depth, field.name).numpy() for field in fields(depth)}
    gains = {FORWARD: arrays.pop("forward"), BACKWARD: arrays.pop("backward")}
    return figures.Products(gain=gains[gain], **arrays)


# --- passes -------------------------------------------------------------------------------------------


def _passes(readings: dict[str, Reading]) -> None:
    """Signals and gradients of a forward and a backward pass over the text."""
    st.markdown(words.PASSES_HEADING)
    passes = {kind: compute.passed(reading) for kind, reading in readings.items()}
    sublayers = next(iter(readings.values())).sublayers
    depths = ["before all", *(f"behind {sublayer}" for sublayer in sublayers)]
    for column, (measure, title, unit, alt) in zip(st.columns(2), words.PASSES):
        lines = {kind: getattr(passed, measure).numpy() for kind, passed in passes.items()}
        figure = pass_figures.norms(lines, depths, frame.theme(), title=title, unit=unit)
        with column:
            frame.chart(figure, key=f"sp{measure}", alt=words.passes_alt(alt))
    st.caption(words.losses({figures.NAMES[kind]: passed.loss for kind, passed in passes.items()}))


# --- simulation ---------------------------------------------------------------------------------------


@frame.fragment
def _simulation(choice: Choice) -> None:
    """Deeper stacks, drawn at random from the matrices of each model on this text; and what ends the page with them."""
    st.markdown(words.SIMULATION_HEADING)
    simulation, reading = controls.choose_simulation(), choice.reading
    quantiles = {
        kind: compute.simulated(reading.by(model), simulation)
        for kind, model in page.family(reading.model).items()
    }
    for column, title, index in zip(st.columns(2), (FORWARD, BACKWARD), (0, 1)):
        figure = pass_figures.quantiles(
            {kind: both[index].numpy() for kind, both in quantiles.items()},
            len(reading.sublayers),
            frame.theme(),
            title=f"Simulated {title.lower()}",
        )
        with column:
            frame.chart(
                figure,
                key=f"spsim{index}",
                alt=words.simulation_alt(title),
            )
    st.caption(words.SIMULATION)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, simulation))
