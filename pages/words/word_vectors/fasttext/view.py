"""Draws the part FastText: a word's n-grams, its neighbours in two models, spelling against meaning."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.words import parts as figures
from tlmviz.figures.words.analogies import answers
from tlmviz.ui import address, frame
from tlmviz.ui.language import _

from .. import view as shared
from . import claims
from .data import MODEL, OTHER, Data
from .state import SAMPLES, Word

EQUATION = (
    r"v_w=\frac1{|\mathcal G_w|}\sum_{g\in\mathcal G_w}z_g,\qquad u(w,c)=\sum_{g\in\mathcal G_w}z_g^\top v_c,\qquad "
    r"\text{share}_g=\frac{z_g^\top v_w}{|\mathcal G_w|\,|v_w|^2}",
    "Mathematics in Modern NLP, section 4.1, Eq. 17–18; Bojanowski et al. 2017.",
    "The notes give “where” the 3-grams wh, whe, her, ere, re: with the marks they are <wh, whe, her, ere, re>. Eq. 17 "
    "sums the n-grams; the model takes their mean, which points the same way.",
)


def controls() -> Word:
    """Draw the box and words to try; what it says."""
    with st.container(horizontal=True, gap="small"):
        Word.word.draw(width=260)
        for word in SAMPLES:
            st.button(word, key=f"ftw-{word}", on_click=Word.word.set, args=(word,), type="tertiary")
    return Word.of_session()


def readable(data: Data) -> bool:
    """Whether there is a word to read, of which what is saved names the model; a sentence says what to type."""
    if not shared.readable(lambda: data.word):
        return False
    address.pictures_read(model=MODEL)
    return True


def parts(data: Data) -> None:
    """The n-grams under the letters at the left, and at the right the neighbours in both models."""
    left, right = st.columns([0.56, 0.44])
    with left:
        texts = [part.text for part in data.parts]
        figure = figures.staircase(
            data.marked, texts, data.starts, data.shares, data.standing, frame.theme(), title=claims.title(data)
        )
        frame.chart(figure, key="ftparts", alt=_("Runs of letters under a word, each with its share of the vector"))
    with right:
        for model, near, key in ((MODEL, data.near, "ftnear"), (OTHER, data.others, "ftother")):
            if not near:
                continue
            bars = answers(
                [name for name, _cosine in near],
                np.array([cosine for _name, cosine in near]),
                frame.theme(),
                title=_("{model}: nearest words (cosine)", model=model),
                given=[False] * len(near),
                height=300,
            )
            frame.chart(bars, key=key, alt=_("Bars of the cosines of the nearest words"))


def spelling(data: Data) -> None:
    """Every word by spelling and by its vector."""
    title = _("Every word: alike in spelling, alike in vectors")
    figure = figures.spelled(*data.spelling, data.word, frame.theme(), title=title)
    frame.chart(figure, key="ftspelled", alt=_("Points of all words by n-grams in common and cosine"))


def snippet(data: Data) -> str:
    """Parts, shares and neighbours with the public API."""
    return f"""\
import torch
import tlmviz
from tlmviz.analysis.words.shares import shares

wv, word = tlmviz.load({MODEL!r}), {data.word!r}
parts = wv.parts(word)  # text, row and vector of each
part_shares = shares(torch.stack([part.vector for part in parts]))
for part, share in zip(parts, part_shares.tolist()):
    print(f"{{part.text:10}} row {{part.row:6}}  {{100 * share:6.1f}}%")
near = wv.neighbours(word, 10)
print(near)
"""
