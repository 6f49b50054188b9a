"""Draws the part Train now: the words that move, the loss, and the neighbours of one word."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.words import film
from tlmviz.figures.words.live import live as figure
from tlmviz.ui import frame
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import Training

EQUATION = (
    r"v_c \leftarrow v_c+\eta\Big((1-\sigma(u_o^\top v_c))\,u_o-\sum_{i=1}^{k}\sigma(u_{w_i}^\top v_c)\,u_{w_i}\Big)",
    "Mathematics in Modern NLP, section 3, Eq. 13–16, one step of ascent.",
)


def controls() -> tuple[Training, bool]:
    """Draw the controls; what they say, and whether a training is to begin.

    What the button does waits for this run: a text that is left by pressing it comes with it.
    """
    text, side = st.columns([0.64, 0.36])
    Training.text.draw(text)
    Training.near.draw(side)
    with side.container(horizontal=True, vertical_alignment="center"):
        begin = st.button(_("Train for 20 seconds"), type="primary", key="trainbegin")
        with frame.more():
            Training.window.draw()
            Training.rate.draw()
    return Training.of_session(), begin


def picture(data: Data) -> None:
    """The words at their places, and what lies near one of them."""
    live = data.live
    places = film.places(live.pictures)
    row = {word: number for number, word in enumerate(live.text.vocabulary[: places.shape[1]])}
    shown = figure(
        places,
        live.text.vocabulary,
        live.at[: len(places)],
        live.losses[: len(places)],
        [row[word] for word in (data.word, *(name for name, _cosine in data.near)) if word in row],
        frame.theme(),
        title=claims.title(data),
        film=not live.running and len(places) > 1,
    )
    frame.chart(shown, key="trainnow", alt=_("Word vectors in a plane, and the loss of the training"))


def snippet(data: Data) -> str:
    """The same training with the public API."""
    chosen = data.chosen
    text, source = repr(chosen.text.strip()), ""
    if not chosen.text.strip():
        text, source = "long_sample_text()", "from tlmviz.analysis.samples import long_sample_text\n"
    return f"""\
{source}from tlmviz.analysis.words.text import split_words
from tlmviz.training.live import Live, least_count
from tlmviz.training.words import WordText

words = split_words({text})
live = Live(WordText.of([words], least_count(len(words))), {chosen.arguments("window", "rate")}, seconds=2)
while live.running:
    live.work()  # a tenth of a second
print(live.losses)
wv = live.vectors()
print(wv.neighbours({data.live.text.vocabulary[0]!r}, 5))
"""
