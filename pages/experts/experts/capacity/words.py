"""The words of the view "Capacity" of the page Experts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pages.experts.experts import compute as page
from pages.experts.experts.compute import Change
from tlmviz.figures import number

if TYPE_CHECKING:
    from .controls import Choice

NOTICE = (
    "On many chips each expert has room for a fixed number of tokens of a batch. Here the batch is your text: who comes after "
    "an expert is full is crossed out, and the expert says nothing for that token.",
    "A capacity factor of 1 is room for an even load and no more: as no text loads experts evenly, some choices are dropped. "
    "DeepSeek-V3 drops none, as its bias keeps loads close to even over large batches.",
    "Tokens late in the text lose most, since earlier ones are served first. The dotted line in the chart below is the loss "
    "without a limit.",
)
EQUATION = (
    r"C = \left\lceil \mathrm{factor} \cdot \frac{T\,k}{E} \right\rceil",
    "Fedus, Zoph and Shazeer, Switch Transformers (2021), section 2.2. T tokens with k choices each over E experts.",
)
XCAPCURVE_ALT = "Dropped choices and loss of the text by capacity factor"


def dropped(choice: Choice, by_layer: np.ndarray) -> str:
    """How many choices are dropped [L], and what that costs."""
    reading, part = choice.reading, choice.reading.experts
    tokens = len(reading.tokens)
    room = math.ceil(choice.factor * tokens * part.chosen / part.count)
    every = tokens * part.chosen * len(reading.layers)
    said = (
        f"Room for **{room}** of {tokens:,} tokens in each expert: **{int(by_layer.sum())}** of {every:,} choices are dropped "
        f"({number(100 * by_layer.sum() / every, '.1f')} %)."
    )
    if tokens < 2:
        return said
    before, after = (float(page.loss(reading, change).mean()) for change in (Change(), choice.change))
    return f"{said} Loss {before:.4f} without a limit, **{after:.4f}** nats per token with it."


def snippet(choice: Choice) -> str:
    """Python that drops what is over capacity."""
    return f"""\
import tlmviz
from tlmviz.analysis.experts import edits

lm = tlmviz.load({choice.reading.model!r})
text = {choice.reading.text!r}
trace = lm.trace(text, edit=edits.limit_capacity(lm.config, {choice.factor}))
dropped = [int((trace.routing(layer).weights == 0).sum()) for layer in trace.expert_layers]
print("dropped choices by layer:", dropped)
print("nats per token:", lm.trace(text).loss_per_token().mean(), trace.loss_per_token().mean())
"""
