"""Draws the part Tree: the whole Huffman tree, and the way to the context word."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tlmviz.analysis.words import one_step

from .. import compute, controls, words
from ..controls import Choice
from .component import payload, tree_view


def show(choice: Choice) -> None:
    """The tree of the model's vocabulary, each node as wide as what reaches it, and the decisions one by one."""
    wv = choice.wv
    header = {
        "title": words.title(choice),
        "center": choice.center,
        "context": choice.context,
        "target": wv.index(choice.context),
    }
    step = compute.tree_step(compute.pair_of(choice))
    data = payload(wv, step, one_step.path_signs(wv, choice.context), header, controls.state(choice))
    key = f"{controls.KEY}-tree"
    with st.container(key="stepview"):
        tree_view(data, key=key, on_change=partial(controls.keep, key))
