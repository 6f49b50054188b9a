"""The controls that all views of the page mHC share: the text, the view, and the token and sublayer looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.streams import mixing
from tlmviz.config import ConnectionConfig
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

TOKEN = link.Field("stok", None, link.whole(0, 99_999))  # None: the last one
SUBLAYER = link.Field("ssub", 0, link.whole(0, 99_999))


@dataclass(frozen=True)
class Reading:
    """A model and the text that it reads: what every view depends on, and the key of what they compute."""

    model: str
    text: str

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return compute.model(self.model)

    @property
    def connection(self) -> ConnectionConfig:
        """Its residual connections."""
        return self.lm.config.connection

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return compute.trace(self.model, self.text)

    @property
    def tokens(self) -> list[str]:
        """The text's tokens [T]."""
        return self.trace.tokens

    @property
    def sublayers(self) -> list[str]:
        """Names of the sublayers [P]: attention 0, MLP 0, attention 1 and so on."""
        return mixing.sublayers(self.lm.config.n_layers)

    def by(self, model: str) -> Reading:
        """The same text, read by another model."""
        return replace(self, model=model)


def choose(model: str) -> Reading | None:
    """The text for a model; None when there is nothing to read yet."""
    text = inputs.text_box(compute.model(model))
    return None if text is None else Reading(model, text)


def choose_view(names: Sequence[str]) -> str:
    """The name of the view that is drawn below the text."""
    return st.segmented_control(
        "View",
        names,
        default=names[0],
        key="sview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def place(reading: Reading) -> tuple[int, int]:
    """The token and the sublayer looked at, the same in every view: at first the last token and the first sublayer."""
    last_token, last_sublayer = len(reading.tokens) - 1, len(reading.sublayers) - 1
    token = TOKEN.get()
    return last_token if token is None else min(token, last_token), min(SUBLAYER.get(), last_sublayer)


def open_model(model: str) -> None:
    """Callback: choose a model in the sidebar's menu."""
    st.session_state["smodel"] = model
