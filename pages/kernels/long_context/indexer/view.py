"""Draws the view Lightning indexer: what it scores and chooses, what sparse attention loses, and its rotation."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.errors import Error
from tlmviz.figures.kernels import indexer as figures
from tlmviz.ui import frame

from ..controls import Choice
from . import compute, controls, words
from .controls import IndexerChoice

TEACHER = "stories-rope"


def show(choice: Choice) -> None:
    """The view for the model that the indexer was made for; for any other a sentence.

    The indexer scores for all heads of a layer together, so the head of the choice changes nothing.
    """
    if choice.model != TEACHER:
        st.info(words.other_model(TEACHER))
    else:
        _panel(choice)


@frame.fragment
def _panel(choice: Choice) -> None:
    """Everything, in the fragment of k and layer. Without an indexer that fits a warning says so: the page is not broken."""
    try:
        text, tokens = choice.lm.fit(choice.text)
        limit = choice.lm.config.context
        if tokens > limit:
            st.caption(words.beyond_context(tokens, limit))
        _draw(choice, text)
    except Error as error:
        st.warning(str(error))


def _draw(choice: Choice, text: str) -> None:
    """Controls, maps, one query's choice, recall and losses, checks, the rotation and the words."""
    compute.indexers()  # refused before any control is drawn
    length = len(compute.trace(choice.model, text))
    point = controls.choose(choice, text, length, lambda k: compute.best_layer(choice.model, text, k))
    position = controls.position(choice, length)
    maps(point, position)
    chosen_row(point, position)
    left, right = st.columns(2)
    with left:
        recall(point)
    with right:
        values = compute.losses(point.model, point.text, point.k)
        figure = figures.losses(values, point.k, frame.theme())
        frame.chart(figure, key="indexer-loss", alt=words.INDEXER_LOSS_ALT)
    frame.caption(words.RECALL, maths=words.RECALL_MATHS)
    st.markdown(words.cost(compute.sizes(point), length, point.k))
    frame.measured(lambda: compute.checks(point.model, point.text, point.layer))
    rotation(point)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(point, compute.INDEXER))


def maps(point: IndexerChoice, position: int) -> None:
    """What the indexer scores, what the attention weighs, and what is chosen, queries by keys."""
    values = compute.maps(point)
    limit = float(np.nanquantile(np.concatenate((values.index, values.mass)), 0.95))
    heads = point.lm.config.n_heads
    pictures = (
        (values.index, words.SCORES_TITLE, limit, "probability"),
        (values.mass, words.attention_title(heads), limit, "probability"),
        (values.chosen, words.chosen_title(point.k), 1.0, "chosen"),
    )
    for number, (column, (picture, title, end, what)) in enumerate(zip(st.columns(3), pictures)):
        figure = figures.weight_map(
            picture, values.cell, title, frame.theme(), limit=end, position=position, what=what
        )
        alt = words.map_alt(title, point.layer)
        with column:
            frame.chart(figure, key=f"indexer-map-{number}", alt=alt)


def chosen_row(point: IndexerChoice, position: int) -> None:
    """One query's attention with its chosen keys."""
    tokens = compute.trace(point.model, point.text).tokens[: position + 1]
    figure = figures.chosen_row(tokens, *compute.row(point, position), frame.theme())
    frame.chart(figure, key="indexer-row", alt=words.INDEXER_ROW_ALT)


def recall(point: IndexerChoice) -> None:
    """The attention mass that k keys cover, by who chooses them."""
    curves = compute.recall(point.model, point.text)
    means = {how: curve.mean(0) for how, curve in curves.items()}
    own = curves["indexer"][point.layer]
    figure = figures.recall_curves(means, own, point.layer, point.k, frame.theme())
    alt = words.COVERED_ALT
    frame.chart(figure, key="indexer-recall", alt=alt)


@frame.fragment
def rotation(point: IndexerChoice) -> None:
    """U on the indexer's q and k: their values before and after, and the error of scores in few bits."""
    st.markdown(words.rotation_heading(point.layer))
    rounding = controls.choose_rounding()
    measured = compute.precision(point, rounding)
    before, after = measured["before"], measured["after"]
    for column, part in zip(st.columns(2), ("q", "k")):
        values = (getattr(side, part).numpy() for side in (before, after))
        figure = figures.value_histograms(*values, f"the indexer's {part}", frame.theme())
        alt = words.histogram_alt(part)
        with column:
            frame.chart(figure, key=f"indexer-values-{part}", alt=alt)
    st.markdown(words.precision_table(controls.FORMATS[rounding.format], before, after))
    frame.caption(words.PRECISION, maths=words.precision_maths(compute.indexers().config.head_dim))
