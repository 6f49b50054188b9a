"""Named recipes: everything that decides a bundled model, in one place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from ..config import ModelConfig, notes_preset
from .loop import Schedule


@dataclass(frozen=True)
class LanguageRecipe:
    """A model and the stages that train it, each going on from the weights of the one before.

    One that is not `bundled` leaves nothing but its log: it was trained for a number.
    """

    config: ModelConfig
    stages: tuple[Schedule, ...]
    bundled: bool = True


# Stories this few hardly reward copying what came before: trained on them alone, neither model forms an
# induction head. So a second stage has them go on with repeated spans of random tokens, in small batches:
# what counts is the number of updates (600 large batches formed none, 500 small ones did), and that the
# model knows its words already (from random weights, 1,800 formed none). The last stage wins the stories back.
COPYING = Schedule(
    steps=900,
    batch_tokens=1024,
    lengths=((0.6, 64), (0.2, 128), (0.2, 256)),
    learning_rate=2e-3,
    warmup=50,
    repeat_share=0.8,
    dropout=0.0,
    seed=1,
    evaluate_every=200,
)
STORIES = Schedule(
    steps=1100,
    batch_tokens=4096,
    lengths=((0.75, 256), (0.25, 1024)),
    learning_rate=1e-3,
    warmup=50,
    weight_decay=0.5,
    sentence_share=0.2,
    repeat_share=0.06,
    bpe_dropout=0.1,
    seed=2,
)
RECIPES = {
    "stories-rope": LanguageRecipe(
        ModelConfig.of(
            name="stories-rope",
            description="Small story writer with RoPE, RMSNorm, SwiGLU and a tied head: the explorer's default.",
            n_layers=6,
            d_model=192,
            n_heads=6,
            n_kv_heads=6,
            d_ff=480,
            context=1024,
            dropout=0.1,
        ),
        (
            Schedule(
                steps=2400,
                batch_tokens=4096,
                lengths=((0.75, 256), (0.25, 1024)),
                learning_rate=2e-3,
                weight_decay=0.5,
                sentence_share=0.3,
                bpe_dropout=0.1,
            ),
            COPYING,
            STORIES,
        ),
    ),
    "stories-gpt": LanguageRecipe(
        notes_preset(
            "stories-gpt",
            description="The notes' TransformerLM: learned positions, pre-LayerNorm, GELU, untied head.",
            n_layers=6,
            d_model=192,
            n_heads=6,
            d_ff=512,
            context=512,
            dropout=0.1,
        ),
        (
            Schedule(
                steps=3000,
                stop=2300,
                batch_tokens=4096,
                lengths=((0.28, 128), (0.24, 256), (0.48, 512)),
                learning_rate=2e-3,
                weight_decay=0.5,
                sentence_share=0.3,
                bpe_dropout=0.1,
            ),
            replace(COPYING, steps=2200),
            replace(STORIES, steps=1700, lengths=((0.4, 256), (0.6, 512)), learning_rate=1.5e-3),
        ),
    ),
}


def spread(values: Sequence[float], spec: str) -> str:
    """Mean and range of one figure over several seeds."""
    least, most = min(values), max(values)
    return f"{fmean(values):{spec}} ({least:{spec}} to {most:{spec}})"


def finished(recipe: LanguageRecipe, runs: Path) -> dict[str, Any] | None:
    """The log of a recipe of one stage; None where it is not there or has not ended."""
    path = runs / recipe.config.name / "stage-1" / "log.json"
    log = json.loads(path.read_text()) if path.is_file() else {"step": 0}
    return log if log["step"] == recipe.stages[0].steps else None
