"""Draws the page FastText: a word's n-grams, its neighbours in two models, spelling against meaning."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.words import parts as figures
from tlmviz.figures.words.analogies import answers
from tlmviz.ui import frame, inputs

from . import compute, words
from .controls import MODEL, OTHER, Choice


def parts(choice: Choice) -> None:
    """The n-grams under the letters at the left, and at the right the neighbours in both models."""
    found, theme = compute.parts(choice), frame.theme()
    left, right = st.columns([0.56, 0.44])
    with left:
        title = words.title(found, found.word in choice.wv)
        texts = [part.text for part in found.parts]
        figure = figures.staircase(
            found.marked, texts, found.starts, found.shares, found.standing, theme, title=title
        )
        frame.chart(figure, key="ftparts", alt=words.FTPARTS_ALT)
        st.caption(words.caption(found))
    with right:
        near = compute.neighbours(choice)
        neighbours(MODEL, near, key="ftnear")
        known, sentence = compute.others(choice)
        if known:
            neighbours(OTHER, known, key="ftother")
        else:
            st.info(f"{words.NOTHING} {inputs.plain(sentence)}")


def neighbours(model: str, near: list[tuple[str, float]], key: str) -> None:
    """The nearest words of a model as bars."""
    names, cosines = [name for name, _ in near], np.array([cosine for _, cosine in near])
    figure = answers(
        names,
        cosines,
        frame.theme(),
        title=f"{model}: nearest words (cosine)",
        given=[False] * len(names),
        height=300,
    )
    frame.chart(figure, key=key, alt=words.NEIGHBOURS_ALT)


def spelling(choice: Choice) -> None:
    """Every word by spelling and by its vector."""
    names, common, cosines = compute.spelling(choice)
    word = compute.parts(choice).word
    figure = figures.spelled(names, common, cosines, word, frame.theme(), title=words.EVERY_WORD_TITLE)
    frame.chart(figure, key="ftspelled", alt=words.FTSPELLED_ALT)
