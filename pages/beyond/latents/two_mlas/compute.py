"""Both kinds of latents as tensors of real passes, cached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch
from jaxtyping import Float

from pages.beyond.latents.reading import compute as reading
from pages.beyond.latents.reading.controls import FIRST, MODELS
from tlmviz import digits
from tlmviz.recording import recording
from tlmviz.ui import compute as shared

ARRAY, DEEPSEEK = MODELS[8], "zoo-mla"


@dataclass(frozen=True)
class Both:
    """What a layer of each is given, and its latents: `pixels` [N, C] and `array` [M, C] of the digit reader after all layers;
    `hidden` [T, C] and `kept` [T, R + D_R] of the language model's first layer. `plain` numbers per token are what a cache of
    ordinary keys and values would keep, `rope` of the kept ones are k^R."""

    pixels: Float[np.ndarray, "n c"]
    array: Float[np.ndarray, "m c"]
    hidden: Float[np.ndarray, "t d"]
    kept: Float[np.ndarray, "t r"]
    heads: int
    plain: int
    rope: int


@st.cache_resource(max_entries=16, show_spinner=False)
def both(text: str) -> Both:
    """The tensors of the digit that the page opens on, and of a text."""
    lm, trace = reading.reader(ARRAY), shared.trace(DEEPSEEK, text)
    image = torch.tensor(digits.held_out().images[FIRST])[None].float() / digits.INK

    def work() -> Both:
        with recording(keep=lambda name: name in ("x", "z")) as record:
            lm.network(image)
        config = shared.model(DEEPSEEK).config
        return Both(
            record.values["x"][0].cpu().numpy(),
            record.values["z"][0].cpu().numpy(),
            trace["blocks.0.normed_attn"][0].cpu().numpy(),
            trace["blocks.0.attn.latent"][0, 0].cpu().numpy(),
            config.n_heads,
            2 * config.n_heads * config.head_dim,
            config.attention.rope_dim,
        )

    return shared.run_in_worker(work, len(text))
