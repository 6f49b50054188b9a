"""The controls of the page Attention explorer: text and view as one Choice, and the panels' own controls."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

FACTORS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
VIEW = "attention"  # the key of the attention view, under which it sends what the user chose in it
_CHOICE = "_explored"


@dataclass(frozen=True)
class Choice:
    """A text, and what the attention view shows of it: head, pins, stage, order."""

    model: str
    text: str
    view: link.View

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return compute.trace(self.model, self.text)

    @property
    def query(self) -> int:
        """The pinned query, or the last token."""
        return len(self.trace) - 1 if self.view.query is None else self.view.query

    @property
    def pair(self) -> tuple[int, int]:
        """The pinned query and key, also a key that the query does not see; unpinned, the query and its largest weight's key."""
        if self.view.query is not None and self.view.key is not None:
            return self.view.query, self.view.key
        return inputs.pinned(self.trace, self.view)

    @property
    def hidden(self) -> str:
        """Why the pair's query does not see its key; empty where it does."""
        (query, key), mask = self.pair, self.trace.specs[self.view.head[0]].mask
        if mask.causal and key > query:
            return "a later token"
        return "outside the window" if mask.window is not None and query - key >= mask.window else ""


def choose(model: str) -> Choice | None:
    """The text, with the session's view cut to what this model and text have; None when there is nothing to read yet."""
    text = inputs.text_box(compute.model(model))
    if text is None:
        return None
    trace = compute.trace(model, text)
    return Choice(model, text, link.view().fitted(trace.n_layers, trace.n_heads, len(trace)))


def keep(choice: Choice | None) -> None:
    """Remember what the picture shows, for what stands below it in a fragment of its own."""
    st.session_state[_CHOICE] = choice


def kept() -> Choice | None:
    """What the picture shows; None while there is nothing to read."""
    choice: Choice | None = st.session_state[_CHOICE]
    return choice


def sent_by_view() -> dict:
    """What the attention view sent last; empty before it did."""
    return (st.session_state.get(VIEW) or {}).get("view") or {}


def remember_view() -> None:
    """Callback of the attention view: what it sent becomes the session's view, and so the link."""
    if sent := sent_by_view():
        link.remember(link.View.received(sent))


def choose_temperature() -> float:
    """The temperature of the predictions."""
    return st.slider("Temperature", 0.0, 2.0, 1.0, 0.05, key="temp", bind="query-params")


def choose_panel(names: list[str]) -> str:
    """The panel below the picture."""
    return st.segmented_control(
        "Look closer",
        names,
        default=names[0],
        key="panel",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def choose_factor() -> float:
    """What the scale 1/sqrt(d) is multiplied by."""
    return st.select_slider(
        "Factor on 1/√d",
        FACTORS,
        1.0,
        key="scale",
        bind="query-params",
        help="Below 1 the softmax flattens, above 1 it gets peaky and its gradient vanishes (section 1.2, Eq. 3).",
    )


def choose_muted(trace: Trace) -> tuple[tuple[tuple[int, int], ...], str]:
    """Muted heads as (layer, head), and what stands in for their output: "zero" or "mean"."""
    options = [f"{layer}.{head}" for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    left, right = st.columns([0.75, 0.25])
    names = left.multiselect(
        "Muted heads (layer.head)",
        options,
        key="mute",
        bind="query-params",
        placeholder="Choose any number of heads",
    )
    how = inputs.replacement_menu(right)
    return link.pairs(",".join(sorted(names))) if names else (), how
