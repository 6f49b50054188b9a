"""Draws the view "Cost" of the page Experts: what a model has, what one token meets of it, and what that is good for."""

from __future__ import annotations

from pages.experts.experts.controls import Reading
from tlmviz.figures.experts.costs import Panel, cost_bars
from tlmviz.ui import frame

from . import compute, words


def show(reading: Reading) -> None:
    """Parameters, operations and losses, side by side."""
    costs = compute.costs(reading)
    sizes = [cost.size for cost in costs]
    panels = [
        Panel(
            "Parameters (million)",
            [size.total / 1e6 for size in sizes],
            ".2f",
            [size.active / 1e6 for size in sizes],
        ),
        Panel(
            words.FLOPS_PER_TOKEN,
            [size.dense_flops / 1e6 for size in sizes],
            ".2f",
            [size.flops / 1e6 for size in sizes],
        ),
    ]
    if all(cost.held_out is not None for cost in costs):
        panels.append(Panel(words.HELD_OUT_BITS, [cost.held_out for cost in costs], ".3f"))
    if len(reading.tokens) > 1:
        panels.append(Panel(words.YOUR_TEXT_BITS, [cost.here for cost in costs], ".3f"))
    with frame.wide("xcostwide", 760):
        frame.chart(
            cost_bars([cost.model for cost in costs], panels, frame.theme()),
            key="xcost",
            alt=words.XCOST_ALT,
        )
    frame.what_to_notice(*words.notice(reading, costs), maths=words.NOTICE_MATHS)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(reading))
