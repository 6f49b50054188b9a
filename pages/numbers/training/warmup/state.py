"""The state of the part Warm-up: which logged runs and when, and which networks the gradient of a text falls
through."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

RATES = ("0.0005", "0.001", "0.002")
MOMENTS = (0, 10, 25, 50, 75, 100, 150, 200)  # of the log
WEIGHTS, STREAM = "weights", "stream"
TRAINED, BEFORE = "trained", "before"
LAYERS = (4, 8, 16, 32)


class Warmup(state.State):
    """Peak of the rate and step of the logged runs; what the gradient is taken by; trained networks, or fresh ones."""

    text: str | None = None
    rate = state.menu(N_("Highest learning rate"), RATES, key="nodrate", default="0.001", segments=True)
    moment = state.menu(N_("After step"), MOMENTS, key="nodstep", default=100, widget="select_slider")
    of = state.menu(
        N_("Gradient"),
        {WEIGHTS: N_("by the weights"), STREAM: N_("by the stream")},
        key="nodof",
        segments=True,
        spelled={WEIGHTS: "by the weights", STREAM: "by the stream"},
    )
    when = state.menu(
        N_("Networks"),
        {TRAINED: N_("trained"), BEFORE: N_("before training")},
        key="nodwhen",
        segments=True,
        spelled={TRAINED: "trained", BEFORE: "before training"},
    )
    layers = state.menu(N_("Layers before training"), LAYERS, key="nodlay", widget="select_slider")
