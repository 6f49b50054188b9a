"""A layer's bill drawn in the browser: sliders, the table to fill in, and areas answer there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tlmviz import figures
from tlmviz.analysis.cost.layer import MOST, Sizes
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_layer_bill", Path(__file__).parent)


def described(sizes: Sizes) -> dict[str, Any]:
    """Sizes as the browser knows them: `head` is 0 for d / h."""
    return {name: getattr(sizes, name) for name in ("n", "d", "h", "g", "f", "gated", "batch", "bytes")} | {
        "head": sizes.head or 0
    }


def payload(*, sizes: Sizes, presets: list[tuple[str, Sizes, str]], **header: Any) -> bytes:
    """What the view begins with: the sizes, layers to choose (name, sizes, source), and the rest of types.d.ts's Header."""
    offered = [{"name": name, "sizes": described(each), "source": source} for name, each, source in presets]
    start = {"sizes": described(sizes), "presets": offered, "most": MOST, "colors": figures.palette()}
    return pack(header | start, {})


def bill_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends its state and the `origin` it began with as `bill`."""
    _component(key=key, data=data, on_bill_change=on_change)
