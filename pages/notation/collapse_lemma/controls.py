"""The controls of the page Collapse lemma: text, layer and head; and, from the picture, what heads share and what is between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

KEY = "collapselemma"
SWITCHES = ("rope", "norm", "alibi", "same", "softmax")


def _switches(text: str) -> tuple[str, ...]:
    """Reads names that commas separate; raises ValueError for one that there is not."""
    names = text.split(",")
    if not set(names) <= set(SWITCHES):
        raise ValueError(text)
    return tuple(name for name in SWITCHES if name in names)


PART = link.Field("clpart", "M", link.choice(("M", "U")))
ON: link.Field[tuple[str, ...]] = link.Field("clon", (), _switches, ",".join)
_SENT, _BEGUN = (
    f"{link.SLOT}collapse_sent",
    f"{link.SLOT}collapse_begun",
)  # session: what the picture sent last, and began with


@dataclass(frozen=True)
class Choice:
    """A model, the text that it reads, a layer, and the head whose product of W_Q and W_K' is turned."""

    model: str
    text: str
    layer: int
    head: int

    @property
    def lm(self) -> LanguageModel:
        """The model."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """Its pass over the text."""
        return compute.trace(self.model, self.text)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, when there is nothing to read yet."""
    lm = compute.model(model)
    left, *places = st.columns([0.74, 0.13, 0.13], vertical_alignment="center")
    with left:
        text = inputs.text_box(lm)
    if text is None:
        return None
    link.open_on(f"collapse:{model}", lambda: compute.previous_head(model, text))
    layer, head = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places)
    return Choice(model, text, layer, head)


def state() -> dict[str, Any]:
    """What the picture begins with; another `origin` where the link, and not the picture, has changed it."""
    PART.share()
    ON.share()
    chosen = PART.get(), ON.get()
    if st.session_state.get(_SENT) != chosen:
        st.session_state[_BEGUN] = " ".join((chosen[0], *chosen[1]))
        st.session_state[_SENT] = chosen
    return {"part": chosen[0], "on": list(chosen[1]), "origin": st.session_state[_BEGUN]}


def keep() -> None:
    """Callback of the picture: a switch was turned."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("lemma")
    if not message or message.get("part") not in ("M", "U"):
        return
    PART.keep(message["part"])
    ON.keep(tuple(name for name in SWITCHES if name in message["on"]))
    st.session_state[_SENT] = PART.get(), ON.get()
