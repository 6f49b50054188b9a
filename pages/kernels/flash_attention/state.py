"""The state that the parts of the page FlashAttention share: the part that is open, and the head that is looked at."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.kernels import online_softmax
from tlmviz.ui import compute, inputs, link, state
from tlmviz.ui.language import N_

TILES, ONE_ROW, COSTS = "Tiles", "One row", "Memory and time"


class Part(state.State):
    """Which part of the page is open."""

    part = state.parts(
        N_("Part"), {TILES: N_("Tiles"), ONE_ROW: N_("One row"), COSTS: N_("Memory and time")}, key="part"
    )


def choose(model: str, token: bool = False) -> tuple[dict[str, Any], DeltaGenerator] | None:
    """Text, layer, head and, where it is asked for, token, by name, with the place beside them; None when there is
    nothing to read yet."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    link.open_on(f"flash:{model}", lambda: _staircase(model, text))
    *places, room = st.columns([0.12, 0.12, 0.18, 0.58], vertical_alignment="bottom")
    at: dict[str, Any] = {"model": model, "text": text}
    if token:
        layer, head, at["query"], _note = inputs.head_and_token_menus(
            lm.config, compute.trace(model, text).tokens, places=(*places, room)
        )
    else:
        layer, head = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places[:2])
    link.share()
    return {**at, "layer": layer, "head": head}, room


@st.cache_data(max_entries=64, show_spinner=False)
def _staircase(model: str, text: str) -> tuple[int, int]:
    """The head in whose last row the running maximum grows most often: there an online softmax has the most to put
    right."""
    trace = compute.trace(model, text)
    last = slice(len(trace) - 1, len(trace))
    heads = [(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    return max(heads, key=lambda at: online_softmax.rises(trace.attention(*at, rows=last)[0].log().numpy()))
