"""The pages of the app, by section: file, title, icon; and which models a section's sidebar offers."""

from __future__ import annotations

import streamlit as st

from . import compute, frame, state, stream_state, translation_state

TRANSLATION = "Translation"
STREAMS = "Streams"
SECTIONS = {
    "Attention": (
        ("attention/explorer", "Attention explorer", "grid_view"),
        ("attention/inside_block", "Inside a block", "account_tree"),
    ),
    "Positions": (
        ("positions/rope_planes", "RoPE planes", "rotate_right"),
        ("positions/position_schemes", "Position schemes", "compare"),
        ("positions/context_extension", "Context extension", "expand"),
    ),
    "Caches": (
        ("caches/kv_cache", "KV cache", "memory"),
        ("caches/serving", "Serving", "dns"),
        ("caches/attention_family", "Attention family", "family_history"),
    ),
    TRANSLATION: (
        ("translation/beam_search", "Beam search", "mediation"),
        ("translation/alignment", "Alignment & coverage", "link"),
        ("translation/attention_scores", "Attention scores", "balance"),
        ("translation/encoder_decoder", "Encoder & decoder", "swap_horiz"),
    ),
    STREAMS: (("streams/mhc", "mHC", "waves"),),
    "Kernels": (
        ("kernels/flash_attention", "FlashAttention", "bolt"),
        ("kernels/long_context", "Long context", "straighten"),
    ),
    "Models": (("models/model_zoo", "Model zoo", "table_chart"),),
}
HOME = "attention/explorer"


def sidebar(section: str) -> None:
    """The section's menu of models, with what the chosen one is."""
    trained = "Small models trained for this app"
    if section == TRANSLATION:
        name = state.model_menu(
            translation_state.models(), "mt", translation_state.DEFAULT_MODEL, f"{trained}, English to French."
        )
        frame.sidebar_status(translation_state.model(name))
    elif section == STREAMS:
        name = state.model_menu(
            stream_state.models(), "smodel", stream_state.DEFAULT_MODEL, f"{trained}; they differ in their connections."
        )
        frame.sidebar_status(compute.model(name))
    else:
        name = state.model_menu(compute.models(), "model", compute.DEFAULT_MODEL, f"{trained}.")
        frame.sidebar_status(compute.model(name))


def pages() -> dict[str, list]:
    """Section -> its pages, for `st.navigation`."""
    return {
        section: [
            st.Page(f"pages/{path}.py", title=title, icon=f":material/{icon}:", default=path == HOME)
            for path, title, icon in entries
        ]
        for section, entries in SECTIONS.items()
    }
