"""Draws the page "Pointer sentinel": the live text, and below it both models' losses."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.words.copying import word_losses
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import copy_view, payload
from .controls import Choice


def show(choice: Choice) -> None:
    """The text, then what to notice and all that is below."""
    mix = compute.mixture(compute.COPIER, choice.text, choice.shift)
    data = payload(
        mix.gate,
        mix.pointer,
        tokens=mix.tokens,
        unknown=[bool(i >= mix.size) for i in mix.ids],
        offers=[
            [[offer.word, offer.written, offer.copied] for offer in compute.offers(mix, row)]
            for row in range(len(mix.ids))
        ],
        word=min(choice.word, len(mix.ids)) or compute.most_copied(mix),
        picture=below.next_picture(),
    )
    copy_view(data, key=controls.KEY, on_change=controls.keep)
    st.caption(words.said(choice))
    below.when_painted("beneath-copies", lambda: _beneath(choice))


def _beneath(choice: Choice) -> None:
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    st.markdown(words.losses(choice))
    one, two = (compute.mixture(name, choice.text) for name in (compute.COPIER, compute.PLAIN))
    figure = word_losses(one.tokens, compute.nats(one), compute.nats(two), frame.theme())
    frame.chart(figure, key="copylosses", alt=words.COPYLOSSES_ALT)
    frame.badges(compute.checks(choice.text, choice.shift))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))
