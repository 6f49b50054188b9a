"""The controls of the part One row: logits typed by hand and presets, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels import online_softmax
from tlmviz.errors import Error

from ..controls import Choice
from . import compute

LOGITS = "logits"  # key of the field, in the session and in the link
PRESETS = {
    "One at 1e4": "The largest logit becomes 10,000",
    "One at −1e4": "The largest logit becomes −10,000",
    "All + 100": "100 is added to every logit: the softmax stays the same",
    "Half −inf": "Every second logit is −inf, as behind a mask",
    "All equal": "Every logit is 1",
    "All −inf": "A row that sees nothing",
}


@dataclass(frozen=True)
class RowChoice:
    """A query of a head, and the logits to use in place of the first of its own; None for the model's own row."""

    at: Choice
    logits: tuple[float, ...] | None = None

    @property
    def row(self) -> compute.Row:
        """The row to walk."""
        own = compute.model_row(self.at)
        return own if self.logits is None else own.with_logits(self.logits)


def choose(choice: Choice) -> RowChoice:
    """The field for logits with its presets. Where it cannot be read a sentence says why: the model's own are used."""
    own = compute.model_row(choice).x
    field, menu = st.columns([0.7, 0.3], vertical_alignment="center")
    typed = field.text_input(
        "Logits",
        key="logits",
        bind="query-params",
        live="150ms",
        label_visibility="collapsed",
        max_chars=2000,
        placeholder="The model's own logits. Type others: 2.5, -1, 1e4, -inf",
    )
    with menu, st.container(horizontal=True, gap="small"):
        st.button("As in the model", key="as-in-model", on_click=_write, args=("",), disabled=not typed)
        _presets(own)
    if not (typed or "").strip():
        return RowChoice(choice)
    try:
        return RowChoice(choice, tuple(online_softmax.parse_logits(typed, len(own)).tolist()))
    except Error as error:
        st.warning(f"{error} The model's own logits are shown.")
        return RowChoice(choice)


def _presets(own: np.ndarray) -> None:
    """A button for the model's own logits and for each preset, which writes them into the field."""
    with st.popover("Presets"):
        st.button(
            "The model's, to edit", key="preset-own", on_click=_write, args=(_text(own),), width="stretch"
        )
        for label, help_ in PRESETS.items():
            values = _text(preset(label, own))
            st.button(
                label, key=f"preset-{label}", help=help_, on_click=_write, args=(values,), width="stretch"
            )


def preset(label: str, x: np.ndarray) -> np.ndarray:
    """A row [N] made extreme in one of the ways of `PRESETS`."""
    x = x.copy()
    if label in ("One at 1e4", "One at −1e4"):
        x[x.argmax()] = 1e4 if label == "One at 1e4" else -1e4
    elif label == "All + 100":
        x += 100
    elif label == "Half −inf":
        x[1::2] = -np.inf
    else:
        x[:] = 1 if label == "All equal" else -np.inf
    return x


def _text(x: np.ndarray) -> str:
    """Logits as the field reads them: nine digits give back every float32."""
    return ", ".join(f"{value:.9g}" for value in x)


def _write(text: str) -> None:
    st.session_state[LOGITS] = text
