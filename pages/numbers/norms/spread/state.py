"""The state of the parts that measure spreads: a model's scores, its logits, and its embedding."""

from __future__ import annotations

from tlmviz.ui import state


class Spreads(state.State):
    """A model, the text it reads, and the head whose scores are shown."""

    model: str
    text: str
    layer: int = 0
    head: int = 0
