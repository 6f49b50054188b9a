"""Draws the part Words of a text: where its words come from, and both models' losses."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.words.copying import word_losses
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from .. import view as shared
from ..state import Choice
from .data import Data

PICTURE = live.Picture(shared.__file__, "copies", "sentinel.js", word=Choice.word)
EQUATION = (
    r"p(w) = g\, p_{\mathrm{vocab}}(w) + (1 - g)\, p_{\mathrm{ptr}}(w), \qquad a = "
    r"\mathrm{softmax}\left([\mathbf{q}\cdot\mathbf{h}_0, \dots, "
    r"\mathbf{q}\cdot\mathbf{h}_t;\ \mathbf{q}\cdot\mathbf{s}]\right), \quad g = a_{\mathbf{s}}",
    "Mathematics in Modern NLP, section 7.2.4, Eq. 53; Merity, Xiong, Bradbury and Socher 2016. "
    "h: the LSTM's states, q = tanh(W h), s: the sentinel.",
)


def readable(data: Data) -> bool:
    """Whether the text can be shown; a sentence says why not."""
    if data.refused:
        (st.warning if data.chosen.text else st.info)(frame.worded(data.refused))
    return not data.refused


def picture(data: Data) -> None:
    """The text, its words shaded by what was copied."""
    mix = data.mix
    header = {
        "title": _("What is written and what is copied"),
        "tokens": mix.tokens,
        "unknown": [bool(i >= mix.size) for i in mix.ids],
        "offers": [[[each.word, each.written, each.copied] for each in row] for row in data.offers],
        "most": data.most_copied,
    }
    PICTURE.show(header, {"gate": mix.gate.astype(np.float32), "pointer": mix.pointer.astype(np.float32)})


def losses(data: Data) -> None:
    """Both models' losses."""
    figure = word_losses(data.mix.tokens, *data.nats, frame.theme())
    frame.chart(figure, key="copylosses", alt=_("Loss of each word with the pointer and without"))


def snippet(data: Data) -> str:
    """The parts of the mixture with the public API."""
    return f"""\
import tlmviz

model = tlmviz.load("stories-sentinel")
mix = model.mixture({data.chosen.text!r}, sentinel={data.chosen.shift})
print(mix.tokens, mix.unknown)
print(mix.gate.round(2))  # [T]; row t predicts word t + 1
best = [mix.words[i] for i in mix.mixed.argmax(1)]  # [T, V], V with the text's own unknown words
looks = mix.pointer.argmax(1)  # [T, T], rows sum to 1
for t, (word, place) in enumerate(zip(best, looks)):
    print(mix.tokens[t], "->", word, f"(pointer: {{mix.tokens[place]}}, 1 - g = {{1 - mix.gate[t]:.2f}})")
"""
