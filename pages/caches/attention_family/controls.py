"""The controls of the page "The attention family": which part, which sizes, and where the morph opens."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.caches.family import DEEPSEEK, Sizes
from tlmviz.ui import compute

VIEWS = ("Morph", "Trained maps", "Latent attention", "Redundancy", "Collapse lemma")
LOADED, PUBLISHED, FREE = "Loaded model", "DeepSeek", "Free sizes"
LENGTHS = (64, 256, 1024, 4096, 16_384, 65_536, 131_072)
FREE_SIZES = {  # session key: label, default, largest
    "fdm": ("d_model", 128, 32_768),
    "fqh": ("Query heads", 8, 128),
    "fhd": ("Head dimension", 16, 1024),
    "flat": ("Latent c_KV", 64, 8192),
    "frot": ("Rotary k_R", 8, 1024),
}


def view() -> str:
    """Which part of the page is shown."""
    named("fview", "part of this page", VIEWS)
    return st.segmented_control(
        "View",
        VIEWS,
        default=VIEWS[0],
        key="fview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def sizes(name: str) -> tuple[Sizes, int]:
    """The sizes that the morph shows, and the text length of its costs. Raises BadConfig for sizes that make no layer."""
    named("fset", "choice of sizes", (LOADED, PUBLISHED, FREE))
    which, length, free = st.columns([0.46, 0.36, 0.18], vertical_alignment="center")
    chosen = which.segmented_control(
        "Sizes",
        (LOADED, PUBLISHED, FREE),
        default=LOADED,
        key="fset",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        help="DeepSeek: d 7,168, 128 heads of 128, 576 = 512 + 64 cached numbers",
    )
    tokens = length.select_slider(
        "Token",
        LENGTHS,
        4096,
        key="flen",
        bind="query-params",
        label_visibility="collapsed",
        format_func="decoding token {:,}".format,
    )
    with free.popover("Free sizes", width="stretch", disabled=chosen != FREE):
        numbers = [
            st.number_input(label, 0, most, value, key=key, bind="query-params")
            for key, (label, value, most) in FREE_SIZES.items()
        ]
    if chosen == PUBLISHED:
        return DEEPSEEK, tokens
    return (Sizes(*numbers) if chosen == FREE else Sizes.of(compute.model(name).config)), tokens


def opening(names: list[str], above: DeltaGenerator) -> int:
    """The variant at which the morph opens, as an index; the slider in the figure goes on from there.

    A sentence about an unknown one goes `above`.
    """
    with above:
        named("fat", "variant", names)
    if st.session_state.get("fat", names[0]) not in names:  # other sizes have other groups
        st.session_state["fat"] = names[0]
    return names.index(
        st.selectbox("Open at", names, key="fat", bind="query-params", label_visibility="collapsed")
    )


def named(key: str, what: str, known: Sequence[str]) -> None:
    """A sentence where the link asks for something that does not exist: the default is shown instead."""
    asked = st.query_params.get(key)
    if asked is not None and asked not in known:
        st.warning(f"There is no {what} “{asked[:60]}”; there are {', '.join(known)}.")
