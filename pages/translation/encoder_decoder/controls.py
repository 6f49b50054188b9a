"""The controls of the page "Encoder & decoder": a sentence and its translation, a decoder, a head and a token."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.ui import frame, inputs, link, translation
from tlmviz.ui.translation import SentencePair

from . import compute
from .compute import MASKED


@dataclass(frozen=True)
class Choice:
    """What the decoder reads, with which mask (`kind`), one of its heads, and one target token (from 0)."""

    pair: SentencePair
    kind: str
    layer: int
    head: int
    token: int


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None without texts that can be read, which a sentence says."""
    mt, pair = translation.model(model), translation.pair_boxes(model)
    if pair is None:
        return None
    with frame.after_picture():
        decoder, *heads, token = st.columns([0.46, 0.13, 0.13, 0.28], vertical_alignment="center")
    kind = mask_menu(model, decoder)
    link.open_on(f"masks:{model}:{kind}", lambda: compute.telling_head(pair, kind))
    return Choice(
        pair,
        kind,
        *inputs.head_menus(mt.config.decoder_layers, mt.config.n_heads, heads),
        inputs.token_menu(token, "Target token", pair.targets, "predict", "edtok", 2),
    )


def mask_menu(model: str, place) -> str:
    """Whose decoder the middle map shows."""
    kinds = compute.kinds(model)
    if st.session_state.get("edmask", MASKED) not in kinds:
        st.session_state["edmask"] = MASKED
    return place.segmented_control(
        "Decoder",
        kinds,
        default=MASKED,
        key="edmask",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def offer_transformer(model: str) -> None:
    """For a recurrent model: why this page cannot show it, and a button that opens a Transformer."""
    st.info(
        f"{model} is recurrent: it has no self-attention to mask. This page needs a Transformer that translates."
    )
    others = list(translation.transformers())
    if others:
        st.button(f"Show {others[0]}", on_click=_open, args=(others[0],), icon=":material/arrow_forward:")


def _open(model: str) -> None:
    st.session_state["mt"] = model
