"""The question before the morph of the page Attention family: how many numbers latent attention keeps."""

from __future__ import annotations

from tlmviz.analysis.caches.family import Sizes
from tlmviz.figures import number
from tlmviz.ui import guess
from tlmviz.ui.language import _

from .morph.data import Data
from .state import MORPH


def seen(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is. The text is not in this picture, and asks nothing
    anew."""
    return guess.first("attention_family", (MORPH, data.sizes), lambda: question(data.sizes))


def question(sizes: Sizes) -> guess.Question | None:
    """How many numbers per token and layer MLA keeps, beside what the others keep; None for one head, which is MQA
    too."""
    first, *grouped, single, latent = sizes.variants()
    if first == single:
        return None
    asks = _(
        "In one layer with {heads} heads of {size}, plain multi-head attention (MHA) keeps {kept} numbers of every "
        "token. How many does latent attention (MLA) keep?",
        heads=sizes.heads,
        size=sizes.head_dim,
        kept=f"{first.cached:,}",
    )
    says = _(
        "MLA keeps **{few} numbers**, MHA {times} times as many; MQA, all of whose heads read the same key and value, "
        "keeps {one}.",
        few=f"{latent.cached:,}",
        times=number(first.cached / latent.cached, ".3g"),
        one=f"{single.cached:,}",
    )
    others = (single.cached, first.cached, *(variant.cached for variant in grouped))
    return guess.question(asks, latent.cached, others, says, show=lambda count: f"{count:,} numbers")
