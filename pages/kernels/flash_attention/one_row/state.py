"""The state of the part One row: logits typed by hand, and presets for them."""

from __future__ import annotations

import numpy as np

from tlmviz.ui import state
from tlmviz.ui.language import N_

PRESETS = {
    "One at 1e4": N_("The largest logit becomes 10,000"),
    "One at −1e4": N_("The largest logit becomes −10,000"),
    "All + 100": N_("100 is added to every logit: the softmax stays the same"),
    "Half −inf": N_("Every second logit is −inf, as behind a mask"),
    "All equal": N_("Every logit is 1"),
    "All −inf": N_("A row that sees nothing"),
}


class Row(state.State):
    """A query of a head, and the logits to use in place of the first of its own; "" for the model's own row."""

    model: str
    text: str
    layer: int
    head: int
    query: int
    logits = state.text(
        N_("Logits"),
        "",
        key="logits",
        ends=("1, 2, 3, 200, 300", "0, 0, 0", "-inf", "3 2 1"),
        more={
            "live": "150ms",
            "label_visibility": "collapsed",
            "placeholder": "The model's own logits. Type others: 2.5, -1, 1e4, -inf",
        },
    )


def preset(label: str, x: np.ndarray) -> np.ndarray:
    """A row [N] made extreme in one of the ways of `PRESETS`."""
    x = x.copy()
    if label in ("One at 1e4", "One at −1e4"):
        x[x.argmax()] = 1e4 if label == "One at 1e4" else -1e4
    elif label == "All + 100":
        x += 100
    elif label == "Half −inf":
        x[1::2] = -np.inf
    else:
        x[:] = 1 if label == "All equal" else -np.inf
    return x


def written(x: np.ndarray) -> str:
    """Logits as the field reads them: nine digits give back every float32."""
    return ", ".join(f"{value:.9g}" for value in x)
