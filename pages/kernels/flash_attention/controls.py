"""The controls that the parts of the page FlashAttention share: text, head, query and the part, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.kernels import online_softmax
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

ONE_ROW, TILES, COSTS = PARTS = ("One row", "Tiles", "Memory and time")


@dataclass(frozen=True)
class Choice:
    """One query of one head of a model that reads a text, and the part of the page that is open."""

    model: str
    text: str
    layer: int = 0
    head: int = 0
    query: int = 0
    part: str = PARTS[0]

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return compute.trace(self.model, self.text)


def choose(model: str) -> Choice | None:
    """Text, layer, head, token and part; None when there is nothing to read yet."""
    if _chosen() == COSTS:  # formulas: they read no text
        link.keep("text")
        return Choice(model, "", part=_choose_part(st))
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    link.open_on(f"flash:{model}", lambda: _staircase(model, text))
    layer, head, query, room = inputs.head_and_token_menus(lm.config, compute.trace(model, text).tokens)
    return Choice(model, text, layer, head, query, _choose_part(room))


def _chosen() -> str | None:
    """The part that is chosen already, before its control is drawn."""
    return st.session_state.get("part") or st.query_params.get("part")


def _choose_part(place) -> str:
    return place.segmented_control(
        "Part",
        PARTS,
        default=ONE_ROW,
        key="part",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def _staircase(model: str, text: str) -> tuple[int, int]:
    """The head in whose last row the running maximum grows most often: there an online softmax has the most to put right."""
    trace = compute.trace(model, text)
    last = slice(len(trace) - 1, len(trace))
    heads = [(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    return max(heads, key=lambda at: online_softmax.rises(trace.attention(*at, rows=last)[0].log().numpy()))
