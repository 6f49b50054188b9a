"""The state that the parts of the page FlashAttention share: the part that is open, and the query of a head."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.kernels import online_softmax
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute, inputs, link, state
from tlmviz.ui.language import N_

TILES, ONE_ROW, COSTS = "Tiles", "One row", "Memory and time"


class Part(state.State):
    """Which part of the page is open."""

    part = state.parts(
        N_("Part"), {TILES: N_("Tiles"), ONE_ROW: N_("One row"), COSTS: N_("Memory and time")}, key="part"
    )


@dataclass(frozen=True)
class Query:
    """One query of one head of a model that reads a text."""

    model: str
    text: str
    layer: int
    head: int
    query: int

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return compute.trace(self.model, self.text)


def choose(model: str, part: str) -> tuple[Query, DeltaGenerator] | None:
    """Text, layer, head and, for a row, token, with the place beside them; None when there is nothing to read yet."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    link.open_on(f"flash:{model}", lambda: _staircase(model, text))
    *places, room = st.columns([0.12, 0.12, 0.18, 0.58], vertical_alignment="bottom")
    if part == ONE_ROW:
        layer, head, query, _note = inputs.head_and_token_menus(
            lm.config, compute.trace(model, text).tokens, places=(*places, room)
        )
    else:
        (layer, head), query = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places[:2]), 0
    link.share()
    return Query(model, text, layer, head, query), room


@st.cache_data(max_entries=64, show_spinner=False)
def _staircase(model: str, text: str) -> tuple[int, int]:
    """The head in whose last row the running maximum grows most often: there an online softmax has the most to put
    right."""
    trace = compute.trace(model, text)
    last = slice(len(trace) - 1, len(trace))
    heads = [(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    return max(heads, key=lambda at: online_softmax.rises(trace.attention(*at, rows=last)[0].log().numpy()))
