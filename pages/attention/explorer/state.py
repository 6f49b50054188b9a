"""The state of the page Attention explorer: the text and what the attention view shows of it, and the panels' own
settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from tlmviz.decoding.sampling import Sampling
from tlmviz.ui import inputs, link, state
from tlmviz.ui.language import N_

FACTORS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
LEAST_FLOW = (0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
WHY, FLOW, SCALE, MUTE, CHECKS, DATA = "Why this weight", "Flow", "Scale", "Mute heads", "Checks", "Data"
_FOLLOWED = "_flow_opened"  # session: an edge was opened, or the target let go, since the picture was drawn


@dataclass
class _Edge(state.Control):
    """The edge of the flow that the map above shows, as layer, head, query and key; None while no cell is pinned."""

    def get(self) -> Any:
        view = link.view()
        return None if view.query is None or view.key is None else (*view.head, view.query, view.key)

    def set(self, value: Any) -> None:
        layer, head, query, key = value
        link.remember(replace(link.view(), head=(layer, head), query=query, key=key))
        st.session_state[_FOLLOWED] = True


def _edge(text: str) -> tuple[int, ...]:
    layer, head, query, key = map(link.whole(0, 99_999), text.split("."))
    return layer, head, query, key


EDGE = _Edge("", None, _edge, lambda edge: ".".join(map(str, edge)))


class Explorer(state.State):
    """A text, what the attention view shows of it (head, pins, stage, order), how the next token is drawn, and the open
    panel."""

    model: str
    text: str
    view: link.View
    temperature = state.slider(N_("Temperature"), 0.0, 2.0, 1.0, step=0.05, key="temp")
    top_k = state.slider("top-k", 0, 50, 0, key="topk", help=N_("The k most probable; 0: all."))
    top_p = state.slider(
        "top-p",
        0.05,
        1.0,
        1.0,
        step=0.05,
        key="topp",
        help=N_("The fewest, of those that top-k leaves, that reach this share."),
    )
    min_p = state.slider(
        "min-p",
        0.0,
        1.0,
        0.0,
        step=0.05,
        key="minp",
        help=N_("Those at least this share as probable as the most probable."),
    )
    seed = state.number(N_("Seed"), 0, 9999, 0, key="drawseed")
    panel = state.menu(
        N_("Look closer"),
        {
            WHY: N_("Why this weight"),
            FLOW: N_("Flow"),
            SCALE: N_("Scale"),
            MUTE: N_("Mute heads"),
            CHECKS: N_("Checks"),
            DATA: N_("Data"),
        },
        key="panel",
        segments=True,
        label_visibility="collapsed",
    )
    least = state.menu(
        N_("Smallest share of the prediction that is drawn"),
        {share: f"{share:.1%}" for share in LEAST_FLOW},
        key="flowmin",
        default=0.01,
        spelled={share: f"{share:.1%}" for share in LEAST_FLOW},
        widget="select_slider",
    )
    factor = state.menu(  # at 1 nothing would have changed yet
        N_("Factor on 1/√d"),
        FACTORS,
        key="scale",
        default=2.0,
        widget="select_slider",
        help=N_("Below 1 the softmax flattens, above 1 it gets peaky and its gradient vanishes."),
    )
    how = inputs.HOW
    kept = state.live("kept", "", link.up_to(4000), ends=("Tom saw",))
    word = state.live("word", None, link.whole(0, 10**9), ends=(0, 312))  # the token that is attributed
    follows = state.live("flowto", None, link.whole(0, 9999), ends=(8,))  # the position whose prediction is followed

    @property
    def sampling(self) -> Sampling:
        """How the next token is drawn."""
        return Sampling(self.temperature, self.top_k or None, self.top_p, self.min_p)


SAMPLING = Explorer.temperature, Explorer.top_k, Explorer.top_p, Explorer.min_p, Explorer.seed


def followed_elsewhere() -> bool:
    """Whether an edge was opened, or the target let go, since the picture was drawn: it has to be drawn again."""
    return bool(st.session_state.pop(_FOLLOWED, False))
