"""The pages of the app, by section: file, title, icon."""

from __future__ import annotations

import streamlit as st

TRANSLATION = "Translation"  # these pages show translation models, all others language models
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
    "Kernels": (
        ("kernels/flash_attention", "FlashAttention", "bolt"),
        ("kernels/long_context", "Long context", "straighten"),
    ),
    "Models": (("models/model_zoo", "Model zoo", "table_chart"),),
}
HOME = "attention/explorer"


def pages() -> dict[str, list]:
    """Section -> its pages, for `st.navigation`."""
    return {
        section: [
            st.Page(f"pages/{path}.py", title=title, icon=f":material/{icon}:", default=path == HOME)
            for path, title, icon in entries
        ]
        for section, entries in SECTIONS.items()
    }
