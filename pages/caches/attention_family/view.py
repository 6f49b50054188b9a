"""What several parts of the page Attention family draw."""

from __future__ import annotations

from tlmviz.figures.caches import latent
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice

WIDTH = 880  # pixels that a picture of several panels needs


def turning(choice: Choice, key: str) -> None:
    """One head's product of W_Q, or W_↑Q where there is a c_Q, and `key` with RoPE between them, walked by distance."""
    result = compute.turning(choice.reading, choice.layer, choice.head)
    _, query = words.query_product(choice.reading.lm.config)
    figure = latent.turning(
        result.matrices,
        result.distances,
        result.moved,
        result.missed,
        frame.theme(),
        name=result.label(f"{query} R {key}' of head {choice.layer}.{choice.head}"),
    )
    with frame.wide("wide-turning", WIDTH):
        frame.chart(figure, key="turning", alt=words.TURNING_ALT)
