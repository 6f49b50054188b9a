"""The controls of the page Rank-1 pictures: which matrix, and, from the picture, its terms, their order and how many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.analysis.notation.model_products import MIXED, SOURCES
from tlmviz.analysis.notation.rank_one import PRODUCT, WAYS
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

from . import compute as page_compute

OWN = "My own"
CROSS = "0 0 1 0 0; 0 0 1 0 0; 1 1 1 1 1; 0 0 1 0 0; 0 0 1 0 0"  # two terms
KEY = "rankone"
WAY = link.Field("r1way", PRODUCT, link.choice(WAYS))
COUNT = link.Field("r1k", 4, link.whole(0, 9999))
ORDER = link.Field("r1sort", "largest", link.choice(("largest", "given")))
_SENT, _BEGUN = (
    f"{link.SLOT}rank_sent",
    f"{link.SLOT}rank_begun",
)  # session: what the picture sent last, and began with


@dataclass(frozen=True)
class Choice:
    """A source, and what it depends on: a model's layer and head, the text that is read, or what is typed; else empty."""

    source: str
    model: str = ""
    text: str = ""
    layer: int = 0
    head: int = 0
    typed: str = ""

    @property
    def lm(self) -> LanguageModel:
        """The model."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """Its pass over the text."""
        return compute.trace(self.model, self.text)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, when there is nothing to show yet."""
    whose, *places, _ = st.columns([0.46, 0.13, 0.13, 0.28], vertical_alignment="center")
    source = whose.segmented_control(
        "Matrix",
        (*SOURCES, OWN),
        default=MIXED,
        key="r1src",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if source == OWN:
        typed = st.text_input(
            "Matrix of my own",
            CROSS,
            key="r1mat",
            live="150ms",
            bind="query-params",
            label_visibility="collapsed",
        )
        return Choice(OWN, typed=typed or "")
    lm = compute.model(model)
    text = inputs.text_box(lm) if source == MIXED else ""
    if text is None:
        return None
    link.open_on(f"rank_one:{model}", lambda: page_compute.plainest(model))
    layer, head = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places)
    return Choice(str(source), model, text, layer, head)


def state() -> dict[str, Any]:
    """What the picture begins with; another `origin` where the link, and not the picture, has changed it."""
    for field in (WAY, COUNT, ORDER):
        field.share()
    chosen = WAY.get(), COUNT.get(), ORDER.get()
    if st.session_state.get(_SENT) != chosen:
        st.session_state[_BEGUN] = " ".join(map(str, chosen))
        st.session_state[_SENT] = chosen
    way, count, order = chosen
    return {"way": way, "count": count, "sorted": order == "largest", "origin": st.session_state[_BEGUN]}


def keep() -> None:
    """Callback of the picture: the sum has come to rest."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("sum")
    if not message or message.get("way") not in WAYS:
        return
    WAY.keep(message["way"])
    COUNT.keep(int(message["count"]))
    ORDER.keep("largest" if message["sorted"] else "given")
    st.session_state[_SENT] = WAY.get(), COUNT.get(), ORDER.get()
