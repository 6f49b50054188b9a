"""The controls that all views of the page Experts share: the text, the view, and the token and layer looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.config import ExpertsConfig
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, inputs, link

from .routing.component import SHOWN

TOKEN = link.Field("xtok", None, link.whole(0, 99_999))  # None: where the page opens
LAYER = link.Field("xlay", None, link.whole(0, 99_999))  # a layer of the model
SHOW = link.Field("xshow", SHOWN[0], link.choice(SHOWN))
_SEQUENCE = f"{link.SLOT}experts_sequence"  # session: number of the picture's last message


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
    def experts(self) -> ExpertsConfig:
        """Its experts."""
        return self.lm.config.experts

    @property
    def layers(self) -> list[int]:
        """Its layers that have experts."""
        return [layer for layer in range(self.lm.config.n_layers) if self.lm.config.has_experts(layer)]

    @property
    def even(self) -> float:
        """The share of the tokens that would reach each expert if all had the same."""
        return self.experts.chosen / self.experts.count

    @property
    def tokens(self) -> list[str]:
        """The text's tokens [T]."""
        return [self.lm.tokenizer.name(each) for each in self.lm.encode(self.text)]


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
        key="xview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def state(reading: Reading, opening: tuple[int, int]) -> dict[str, Any]:
    """What a picture shows, as it reads it: the token and the layer, at first those of `opening`, and what colours the cells."""
    layer, token = opening
    layer = layer if LAYER.get() is None else LAYER.get()
    token = token if TOKEN.get() is None else TOKEN.get()
    return {
        "token": min(token, len(reading.tokens) - 1),
        "layer": reading.layers.index(layer) if layer in reading.layers else 0,
        "show": SHOW.get(),
        "seq": st.session_state.get(_SEQUENCE, 0),
    }


def keep(key: str, layers: Sequence[int]) -> None:
    """Callback of the picture of this key: another token, layer or colouring was chosen in it."""
    message = (st.session_state.get(key) or {}).get("place")
    if not message:
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    TOKEN.keep(int(message["token"]))
    LAYER.keep(layers[min(int(message["layer"]), len(layers) - 1)])
    SHOW.keep(message["show"] if message["show"] in SHOWN else SHOWN[0])


def share() -> None:
    """Show in the link what was chosen in the pictures."""
    for field in (TOKEN, LAYER, SHOW):
        field.share()
