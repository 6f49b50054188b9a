"""Draws what several views of the page "Alignment & coverage" share: an attention map with its coverage and its steps."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.translation import coverage
from tlmviz.decoding.penalties import Penalties, coverage_loss, token_coverage
from tlmviz.figures.translation import alignment, alignment_steps
from tlmviz.ui import frame

from . import words

TALL, LOW = 540, 460  # pixels: a map beside its steps, and one of two maps


def pictures(
    attention: np.ndarray, penalties: Penalties, source: list[str], target: list[str], title: str, places
) -> None:
    """The map [T, S] over coverage and penalty, and its steps, at two places of the page."""
    left, right = places
    with left:
        figure = coverage_map(attention, penalties, source, target, title=title, height=TALL)
        frame.chart(
            figure,
            key="alignmap",
            alt=words.ALIGNMAP_ALT,
        )
    with right:
        figure = alignment_steps.coverage_steps(
            attention,
            {"sum": coverage.overlaps(attention)[0], "average": coverage.overlaps(attention, True)[0]},
            source,
            target,
            _first_step(attention),
            frame.theme(),
            TALL,
        )
        frame.chart(figure, key="alignsteps", alt=words.ALIGNSTEPS_ALT)


def coverage_map(
    attention: np.ndarray, penalties: Penalties, source: list[str], target: list[str], **options
):
    """The figure of a map [T, S] with each source token's part of cp below, in nats."""
    costs = penalties.beta * token_coverage(attention.sum(0), penalties.floor)
    least = float(penalties.beta * np.log(penalties.floor))
    return alignment.coverage_map(attention, source, target, costs, least, frame.theme(), **options)


def _first_step(attention: np.ndarray) -> int:
    """The step with the largest overlap; the last one, which writes the end, is left out."""
    return int(coverage_loss(attention, average=True)[: max(1, len(attention) - 1)].argmax())
