"""Draws the page Scaling: one product in few bits, and a whole model's pass."""

from __future__ import annotations

import contextlib

import streamlit as st

from tlmviz.analysis.numbers.scaling import PER
from tlmviz.figures import readable_all
from tlmviz.figures.numbers import scaling as figures
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import payload, scaling_view
from .controls import Choice

WAITING = words.ROUNDING


def tokens_of(choice: Choice) -> list[str]:
    """The text's tokens; none of an expert's matrix, which only some of them reach."""
    if choice.matrix.count(".") > 1:
        return []
    return [choice.lm.tokenizer.name(i) for i in choice.lm.encode(choice.text)]


def product(choice: Choice) -> None:
    """X, W and O in maps, channel by channel, and the scale to move."""
    found = compute.product(choice.model, choice.text, choice.matrix, choice.scheme)
    data = payload(
        found,
        choice.scheme,
        tokens_of(choice),
        title=words.product_title(choice),
        state=controls.state(),
        picture=below.next_picture(),
    )
    scaling_view(data, key=controls.KEY, on_change=controls.keep)


def beneath_product(choice: Choice) -> None:
    """The four ways to share a scale, and numbers of O worked out."""
    scheme = choice.scheme
    left, right = st.columns([0.44, 0.56])
    with left:
        st.markdown(words.decibels_heading(scheme.kept.name))
        found = compute.groupings(choice.model, choice.text, choice.matrix, scheme.format, scheme.block)
        frame.table(words.groupings(found), words.GROUPINGS, words.GROUPING_HELPS)
    with right:
        st.markdown("**O = O_s / (S_X S_W), worked out**")
        made = compute.product(choice.model, choice.text, choice.matrix, scheme)
        frame.table(words.examples(made.examples, tokens_of(choice)), words.EXAMPLES, words.EXAMPLE_HELPS)
        frame.caption(words.examples_caption(choice))


def model(choice: Choice) -> None:
    """What the pass loses along the text."""
    waiting = contextlib.nullcontext() if compute.quick(choice.model, choice.text) else st.spinner(WAITING)
    with waiting:
        found = compute.loss(choice.model, choice.text, choice.setting)
    tokens = readable_all(tokens_of(choice))
    st.markdown(f"**{words.loss_title(choice, found)}**")
    figure = figures.divergences(
        tokens[1:],
        found.divergence,
        words.gained(found),
        frame.theme(),
        title=words.KL_EVERY_TITLE,
    )
    frame.chart(figure, key="divergence", alt=words.DIVERGENCE_ALT)
    every = compute.simulator(choice.model).matrices
    frame.caption(words.chosen(choice, sum(map(choice.setting.rounds, every)), len(every)))


def beneath_model(choice: Choice) -> None:
    """Every format on the same products, and each kind of matrix of each layer by itself."""
    if not compute.quick(choice.model, choice.text):
        lm = choice.lm
        frame.caption(words.too_large_caption(lm.name, lm.n_parameters / 1000000.0))
        return
    st.markdown(words.EVERY_FORMAT_HEADING)
    rows, formats = words.every(compute.every(choice.model, choice.text, choice.setting, PER))
    frame.table(rows, formats)
    names = [part for part in compute.parts(choice.model) if part != "head"]
    costs = compute.alone(choice.model, choice.text, choice.scheme, choice.setting.sides)
    figure = figures.alone(
        costs,
        names,
        frame.theme(),
        title=words.mean_kl_title(choice.scheme.kept.name),
    )
    frame.chart(figure, key="alone", alt=words.ALONE_ALT)
