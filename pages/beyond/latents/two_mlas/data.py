"""Both kinds of latents as tensors of real passes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

import tlmviz
from tlmviz import digits
from tlmviz.recording import recording
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached

from .state import Text

ARRAY, DEEPSEEK, PICTURE = "digits-perceiver", "zoo-mla", 3


@dataclass(frozen=True)
class Tensors:
    """What a layer of each is given, and its latents: `pixels` [N, C] and `array` [M, C] of the digit reader after all
    layers; `hidden` [T, C] and `kept` [T, R + D_R] of the language model's first layer. `plain` numbers per token are
    what a cache of ordinary keys and values would keep, `rope` of the kept ones are k^R."""

    pixels: Float[np.ndarray, "n c"]
    array: Float[np.ndarray, "m c"]
    hidden: Float[np.ndarray, "t d"]
    kept: Float[np.ndarray, "t r"]
    plain: int
    rope: int


@dataclass(frozen=True)
class Data:
    """What the part shows."""

    chosen: Text

    @cached(16)
    def tensors(text: str) -> Tensors:
        """Those of one picture, and of a text."""
        reader, trace, config = tlmviz.load(ARRAY), shared.trace(DEEPSEEK, text), shared.model(DEEPSEEK).config
        image = torch.tensor(digits.held_out_pictures()[0][PICTURE])[None].float() / digits.INK

        def work() -> Tensors:
            with recording(keep=("x", "z").__contains__) as record:
                reader.network(image)
            array = [record.values[name][0].cpu().numpy() for name in ("x", "z")]
            names = "normed_attn", "attn.latent"
            kept = [trace[f"blocks.0.{name}"].flatten(0, -3)[-1].cpu().numpy() for name in names]
            return Tensors(*array, *kept, 2 * config.n_heads * config.head_dim, config.attention.rope_dim)

        return shared.run_in_worker(work, len(text))
