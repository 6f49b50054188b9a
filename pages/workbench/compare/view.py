"""Draws the page Compare: two runs side by side, or the sentence that they do not differ."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import compare_view, payload
from .controls import Choice


def picture(choice: Choice) -> None:
    """Tokens, differences of all heads and of one, cosines and predictions; a sentence where nothing differs."""
    found = compute.found(choice)
    head, pin, origin = controls.seen(choice)
    if cut := words.cut(choice, found):
        st.warning(cut)
    if found.same:
        st.info(words.same(choice, found))
        return
    comparison = found.comparison
    if head is None or head[0] >= comparison.a.n_layers or head[1] >= comparison.a.n_heads:
        first = comparison.moved(1).iloc[0]
        head = int(first.layer), int(first["head"])
    data = payload(
        comparison,
        found.small,
        found.cosines,
        found.guesses,
        head,
        title=words.title(choice),
        names=words.names(choice),
        pin=int(comparison.kl.argmax()) if pin is None else min(pin, len(comparison.kl) - 1),
        apart=found.apart,
        origin=origin,
        picture=below.next_picture(),
    )
    compare_view(data, key=controls.KEY, on_change=controls.keep)
    frame.caption(words.summary(choice, found))
