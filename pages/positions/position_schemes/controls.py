"""The controls of the page Position schemes: view, head and text as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.ui import inputs, link, long_text
from tlmviz.ui.long_text import Ids

from . import compute

ADDED, SIMILARITY, BY_DISTANCE, EXTRAPOLATION = VIEWS = (
    "What is added",
    "Position similarity",
    "Attention by distance",
    "Extrapolation",
)
MEASURES = ("Mean distance", "Decay")
TIMES = 4  # how often the training length is read


@dataclass(frozen=True)
class Choice:
    """What is drawn, the head that is followed, and the text that all compared models read."""

    view: str
    head: tuple[int, int]  # layer, head
    source: str  # of the text: long_text.SAMPLE or OWN
    text: str
    ids: Ids  # the part that is read; the compared models share one tokenizer's ids

    @property
    def families(self) -> dict[str, str]:
        """Scheme -> model, for the models that are compared."""
        return compute.families()

    @property
    def context(self) -> int:
        """The training length that the compared models share, in tokens."""
        return compute.shared_config().context

    @property
    def inside(self) -> Ids:
        """The ids within the training length."""
        return self.ids[: self.context]


def choose() -> tuple[Choice, DeltaGenerator] | None:
    """View, layer and head, text, and a place for a sentence about it; None when there is nothing to read yet."""
    first, layer, head = st.columns([0.68, 0.16, 0.16], vertical_alignment="center")
    menu, box, note = st.columns([0.28, 0.16, 0.56], vertical_alignment="center")
    view = first.segmented_control(
        "View",
        VIEWS,
        default=EXTRAPOLATION,
        key="pview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    link.open_on("schemes", compute.telling_head)
    pair = _head(view, layer, head)
    source, text = long_text.source_menu(menu, box, "xsrc")
    if text is None:
        return None
    ids = long_text.encoded(next(iter(compute.families().values())), text)[
        : TIMES * compute.shared_config().context
    ]
    return Choice(view, pair, source, text, ids), note


def _head(view: str, layer, head) -> tuple[int, int]:
    """Layer and head, with menus of those that the view depends on."""
    config = compute.shared_config()
    places = {ADDED: (layer,), EXTRAPOLATION: ()}.get(view, (layer, head))
    return inputs.head_menus(config.n_layers, config.n_heads, places)


def choose_measure() -> str:
    """What the heads of every scheme are ordered by, one of MEASURES."""
    return st.segmented_control(
        "Measure",
        MEASURES,
        default=MEASURES[0],
        key="pmeas",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
