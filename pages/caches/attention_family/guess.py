"""The question before the morph of the page Attention family: how many numbers latent attention keeps."""

from __future__ import annotations

from tlmviz.analysis.caches.family import Sizes
from tlmviz.ui import guess

from . import words
from .controls import Choice


def seen(choice: Choice, sizes: Sizes) -> bool:
    """Whether the picture may be drawn; else the question is. The text is not in this picture, and asks nothing anew."""
    return guess.first("attention_family", (choice.view, sizes), lambda: question(sizes))


def question(sizes: Sizes) -> guess.Question | None:
    """How many numbers per token and layer MLA keeps, beside what the others keep; None for one head, which is MQA too."""
    first, *grouped, single, latent = sizes.variants()
    if first == single:
        return None
    others = (single.cached, first.cached, *(variant.cached for variant in grouped))
    return guess.question(
        words.guess(first),
        latent.cached,
        others,
        words.guessed(first, single, latent),
        show=lambda count: f"{count:,} numbers",
    )
