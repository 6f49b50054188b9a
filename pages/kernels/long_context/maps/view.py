"""Draws the view Maps: loss along the text, all heads, one head, an exact tile, and where each head's mass lies."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels.long_context import Survey, band_names, strongest
from tlmviz.figures.kernels import long_context as figures
from tlmviz.ui import frame

from .. import controls as page_controls
from .. import guess
from ..compute import Passage, checks, pooled, read, survey, trace
from ..controls import Choice
from . import compute, controls, words
from .controls import MapChoice


def show(choice: Choice) -> None:
    """The pictures from the whole text down to a tile, the statistics of all heads, and the words."""
    passage = page_controls.passage(choice)
    length = len(passage.ids)
    with st.spinner(words.reading_text(length), show_time=True):
        _, loss, seconds = read(passage)
    if not guess.seen(choice, loss):
        return
    loss_along(loss, choice.lm.config.context, seconds)
    left, middle, right = st.columns([0.34, 0.34, 0.32], gap="small")
    caption, below = st.empty(), st.container()
    with right:
        picture, numbers = st.container(), st.columns(3)
    where = controls.choose(length, numbers, below)
    with left:
        surveys = overview(choice, passage, where.every)
    with middle:
        head_map(choice, passage, where)
    weights = compute.tile(passage, choice.layer, choice.head, where)
    with picture:
        tile(weights.numpy(), trace(passage).tokens, where)
    if where.moved:
        picture.warning(words.moved(length, where))
    caption.caption(words.caption(trace(passage), surveys[0].queries, where, strongest(weights, 4)))
    statistics(choice, surveys)
    beyond = length > choice.lm.config.context
    frame.what_to_notice(*words.notice(beyond), maths=words.NOTICE_MATHS if beyond else ())
    frame.measured(lambda: checks(passage))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, length, where))


def loss_along(loss: np.ndarray, context: int, seconds: float) -> None:
    """Loss along the text, and in a sentence how it differs beyond the training length."""
    figure = figures.loss_curve(loss, context, frame.theme())
    frame.chart(figure, key="loss", alt=words.LOSS_ALT)
    st.caption(words.losses(loss, context, seconds))


def overview(choice: Choice, passage: Passage, every: bool) -> list[Survey]:
    """All heads' maps. Layers are read one after the other, so that others get their turn and a bar can move."""
    layers, surveys, place = choice.lm.config.n_layers, [], st.empty()
    for layer in range(layers):
        message = words.reading_waiting(layer + 1, layers)
        with place, st.spinner(message, show_time=True):
            surveys.append(survey(passage, layer, every))
    place.empty()
    pictures = np.stack([survey.pictures for survey in surveys])
    frame.chart(
        figures.overview(pictures, (choice.layer, choice.head), frame.theme()),
        key=controls.OVERVIEW,
        alt=words.OVERVIEW_ALT,
        select="points",
        on_select=controls.head_clicked,
    )
    return surveys


def head_map(choice: Choice, passage: Passage, where: MapChoice) -> None:
    """The chosen head's pooled map with the tile marked in it."""
    length, context = len(passage.ids), choice.lm.config.context
    with st.spinner(words.POOLING, show_time=True):
        picture = pooled(passage, choice.layer, choice.head)
    title, marked = f"Layer {choice.layer}, head {choice.head}", (where.row, where.col, where.side)
    frame.chart(
        figures.head_map(picture, length, context, marked, title, frame.theme()),
        key=controls.HEAD_MAP,
        alt=words.head_map_alt(choice.layer, choice.head),
        select="box",
        on_select=controls.box_dragged,
    )


def tile(weights: np.ndarray, tokens: list[str], where: MapChoice) -> None:
    """The exact weights of the tile, [R, C]."""
    names = (tokens[where.rows], tokens[where.cols])
    figure = figures.exact_tile(weights, (where.row, where.col), names, frame.theme())
    alt = words.tile_title(where.row, where.col)
    frame.chart(figure, key="tile", alt=alt)


def statistics(choice: Choice, surveys: list[Survey]) -> None:
    """Where each head's mass lies: one number per head, and by distance."""
    theme = frame.theme()
    left, right = st.columns([0.4, 0.6])
    with left:
        field, title, form, top = words.STATISTICS[controls.statistic_menu(list(words.STATISTICS))]
        values = np.stack([getattr(survey, field) for survey in surveys])
        figure = figures.per_head(values, title, theme, form=form, top=top)
        frame.chart(figure, key="stat", alt=f"{title} of every head")
    with right:
        mass = np.concatenate([survey.bands for survey in surveys])
        heads = len(surveys[0].first)
        labels = [f"{layer}.{head}" for layer in range(len(surveys)) for head in range(heads)]
        opened = choice.layer * heads + choice.head
        figure = figures.bands(mass, band_names(mass.shape[1]), labels, opened, theme, height=340)
        frame.chart(figure, key="bands", alt=words.BANDS_ALT)
