"""Draws the part Step by step: every matrix between the queries and their rotation."""

from __future__ import annotations

from tlmviz.figures.positions import rope_steps
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice


def picture(choice: Choice) -> None:
    """Angles, cos, sin, pairs and rotated pairs, walked plane by plane."""
    layer, head = choice.head
    figure = rope_steps.rotation(
        compute.rotation(choice),
        choice.trace.tokens[choice.rows],
        choice.pair[0],
        choice.base,
        frame.theme(),
        title=words.rope_step_title(layer, head),
    )
    alt = words.STEPS_ALT
    with frame.wide("wide", 880):
        frame.chart(figure, key="steps", alt=alt)
