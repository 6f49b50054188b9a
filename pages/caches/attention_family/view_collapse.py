"""Draws the part Collapse lemma of the page Attention family: all heads with one product of W_Q and W_K."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.caches import head_maps
from tlmviz.ui import frame

from . import compute, controls, view, words
from .compute import CONDITIONS
from .controls import Choice


def collapse(choice: Choice) -> None:
    """All heads with one W_Q W_K': without positions one map, with ALiBi or RoPE several again."""
    config = choice.reading.lm.config
    choice = controls.choose_head(choice, config.n_layers, config.n_heads)
    maps, apart = compute.collapsed(choice.reading, choice.layer)
    rows = [
        f"<b>{condition}</b><br>logits up to {far:.2g} apart" for condition, far in zip(CONDITIONS, apart)
    ]
    hover = [
        [f"head {head}, {condition}" + (", with head 0's M" if i else "") for head in range(config.n_heads)]
        for i, condition in enumerate(CONDITIONS)
    ]
    groups = np.zeros((len(rows), config.n_heads), int)
    groups[[0, 2, 4]] = np.arange(config.n_heads)  # the maps of a row that may differ
    title = f"Layer {choice.layer}, all heads given head 0's W_Q and W_K (probability, √ colours)"
    figure = head_maps.grid(maps, rows, groups, hover, None, frame.theme(), height=500, title=title)
    with frame.wide("wide-collapse", view.WIDTH):
        frame.chart(
            figure,
            key="collapse",
            alt="Maps of all heads with one product of W_Q and W_K under four conditions",
        )
    st.caption(words.collapse_caption(choice))
    view.turning(choice, "W_K")
    frame.copy_as_python(words.collapse_snippet(choice))
