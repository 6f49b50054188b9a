"""Named recipes: everything that decides a bundled model, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from ..config import ModelConfig, notes_preset
from .loop import Schedule


@dataclass(frozen=True)
class Recipe:
    """A model and the schedule that trains it."""

    config: ModelConfig
    schedule: Schedule


RECIPES = {
    "stories-rope": Recipe(
        ModelConfig(
            name="stories-rope",
            description="Small story writer with RoPE, RMSNorm, SwiGLU and a tied head: the explorer's default.",
            n_layers=6, d_model=192, n_heads=6, n_kv_heads=6, d_ff=480, context=1024, dropout=0.1,
        ),
        Schedule(
            steps=2400, batch_tokens=4096, lengths=((0.75, 256), (0.25, 1024)), learning_rate=2e-3,
            weight_decay=0.5, sentence_share=0.3, bpe_dropout=0.1,
        ),
    ),
    "stories-gpt": Recipe(
        notes_preset(
            "stories-gpt",
            description="The notes' TransformerLM: learned positions, pre-LayerNorm, GELU, untied head.",
            n_layers=6, d_model=192, n_heads=6, d_ff=512, context=512, dropout=0.1,
        ),
        Schedule(
            steps=3000, batch_tokens=4096, lengths=((0.28, 128), (0.24, 256), (0.48, 512)), learning_rate=2e-3,
            weight_decay=0.5, sentence_share=0.3, bpe_dropout=0.1,
        ),
    ),
}
