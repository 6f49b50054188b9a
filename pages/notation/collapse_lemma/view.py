"""Draws the page Collapse lemma: all heads' maps with switches, and one head's product turned by RoPE."""

from __future__ import annotations

from tlmviz.figures.caches import latent
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import collapse_view, payload
from .controls import Choice

WIDTH = 880  # pixels that the picture of the turned product needs


def maps(choice: Choice) -> None:
    """Every head's map as trained, with one M, and what is left of head 0's; or with one W_V W_O."""
    found = compute.collapsed(choice)
    data = payload(
        found,
        tokens=choice.trace.tokens[: compute.tokens(choice)],
        title=words.title(choice),
        picture=below.next_picture(),
        **controls.state(),
    )
    collapse_view(data, key=controls.KEY, on_change=controls.keep)
    frame.caption(words.caption(choice, compute.tokens(choice)), maths=words.FACTORS)


def turning(choice: Choice) -> None:
    """W_Q R_t R_s' W_K' of one head, walked by distance."""
    result = compute.turning(choice)
    figure = latent.turning(
        result.matrices,
        result.distances,
        result.moved,
        result.missed,
        frame.theme(),
        name=result.label(f"{words.query_product(choice)} of head {choice.layer}.{choice.head}"),
    )
    with frame.wide("wide-turned", WIDTH):
        frame.chart(figure, key="turned", alt=words.TURNED_ALT)
