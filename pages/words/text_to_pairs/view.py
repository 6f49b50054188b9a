"""Draws the page "From text to pairs": the sliding window, what is thrown out, one-hot and trained vectors side by side."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.words import pairs as figures
from tlmviz.ui import frame

from . import compute, controls, words
from .component import pairs_view, payload
from .controls import Choice


def window(choice: Choice) -> None:
    """The text with its window, and the matrix that grows while the window slides."""
    reading = compute.read(choice)
    if not reading.kept.any():
        st.info(words.NOTHING_LEFT)
        return
    data = payload(
        reading,
        title=words.title(choice),
        window=choice.window,
        by_distance=choice.by_distance,
        place=compute.telling_place(choice),
        state=controls.state(),
    )
    pairs_view(data, key=controls.PICTURE, on_change=controls.keep_place)


def thrown(choice: Choice) -> None:
    """How likely words stay in the text, by how frequent they are, with those of the text as points."""
    st.markdown(words.FREQUENT_WORDS_HEADING)
    shares, wv = compute.shares(choice.model), choice.wv
    threshold = choice.threshold or wv.config.subsample
    own = [word for word in compute.read(choice).vocabulary if word in shares]
    figure = figures.keep_curve(
        own,
        [shares[word] for word in own],
        threshold,
        frame.theme(),
        title=words.probability_stay_title(threshold),
    )
    frame.chart(figure, key="keep", alt=words.KEEP_ALT)
    frame.caption(words.thrown(choice, compute.keep_table(choice.model, threshold)))


def distances(choice: Choice) -> None:
    """One-hot vectors, their distances, and those of trained vectors."""
    st.markdown(words.DISTANCES_HEADING)
    found = compute.distances(choice.model, choice.words)
    if found is None:
        st.info(words.too_few(choice))
        return
    theme = frame.theme()
    parts = (
        figures.one_hot_map(found.words, theme, title=words.HOT_VECTORS_TITLE),
        figures.distance_map(found.one_hot, found.words, theme, title=words.DISTANCES_HOT_TITLE),
        figures.distance_map(found.trained, found.words, theme, title=f"Distances, {choice.model}"),
    )
    alts = (words.ONE_HOT_SAID, "Every distance is √2", words.TRAINED_SAID)
    for number, (place, figure, alt) in enumerate(zip(st.columns(3), parts, alts)):
        with place:
            frame.chart(figure, key=f"hot{number}", alt=alt)
    frame.caption(words.distances(choice, found))
