"""The controls that the parts of the page FlashAttention share: text, head, query and the part, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs

PARTS = ("One row", "Tiles", "Memory and time")


@dataclass(frozen=True)
class Choice:
    """One query of one head of a model that reads a text, and the part of the page that is open."""

    model: str
    text: str
    layer: int = 0
    head: int = 0
    query: int = 0
    part: str = PARTS[0]

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return compute.trace(self.model, self.text)


def choose(model: str) -> Choice | None:
    """Text, layer, head, token and part; None when there is nothing to read yet."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    layer, head, query, room = inputs.head_and_token_menus(lm.config, compute.trace(model, text).tokens)
    part = room.segmented_control(
        "Part",
        PARTS,
        default=PARTS[0],
        key="part",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return Choice(model, text, layer, head, query, part)
