"""Draws the page "Train it now": the words that move, the loss, and the neighbours of one word."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.words import film
from tlmviz.errors import UnknownName
from tlmviz.figures.words.live import live as figure
from tlmviz.training.live import Live
from tlmviz.ui import frame, inputs

from . import words

NEAR = 6  # neighbours that are named


def picture(live: Live, typed: str) -> None:
    """The words at their places, and what lies near one of them."""
    places = film.places(live.pictures)
    near, said = neighbours(live, typed)
    shown = figure(
        places,
        live.text.vocabulary,
        live.at[: len(places)],
        live.losses[: len(places)],
        [row for row in near if row < places.shape[1]],
        frame.theme(),
        title=words.title(live),
        film=not live.running and len(places) > 1,
    )
    st.caption(f"{words.state(live)} {said}")
    frame.chart(shown, key="trainnow", alt=words.TRAINNOW_ALT)


def neighbours(live: Live, typed: str) -> tuple[list[int], str]:
    """The rows of a word and its neighbours, and a sentence on them; for a word that is not in the text, what to do."""
    wv = live.vectors()
    if live.broken:
        return [], ""
    try:
        near = wv.neighbours(typed, NEAR)
        row = wv.index(typed)
    except UnknownName:
        return (
            [],
            words.not_trained(inputs.plain(typed[:40])),
        )
    named = ", ".join(f"{inputs.plain(word)} {value:.2f}" for word, value in near)
    return [
        row,
        *(wv.index(word) for word, _ in near),
    ], words.nearest(inputs.plain(typed), named)
