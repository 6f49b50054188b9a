"""What the widget and the file share: the view's style, and the sentences below it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tlmviz.trace import Trace
from tlmviz.ui.components.attention_view import FOLDER
from tlmviz.ui.components.scripts import style

HEIGHT = 530  # pixels of the view


def css() -> str:
    """The style of the view and of what is around it."""
    own = Path(__file__).parent / "style.css"
    return "\n".join((own.read_text(encoding="utf-8"), style(FOLDER)))


def title(trace: Trace) -> str:
    """What is shown, in a line."""
    name = trace.model or trace.made_by or "attention"
    return f"{name}: {trace.n_layers} layers × {trace.n_heads} heads, {len(trace)} tokens"


def start(trace: Trace) -> dict[str, int]:
    """The head that opens: the one that looks back one token most, or of the largest peak where that has no meaning."""
    table = trace.statistics()
    previous = np.nan_to_num(table["previous"])
    best = int(np.argmax(previous if previous.any() else np.nan_to_num(table["peak"])))
    return {"layer": best // trace.n_heads, "head": best % trace.n_heads}
