"""Two sliders, N inputs and M latents, and the number of scores of both ways to attend, as areas to scale."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_latent_cost", Path(__file__).parent)


def payload(inputs: int, latents: int, **header: Any) -> bytes:
    """What the view begins with; `header` has `origin` and `picture`."""
    return pack({"inputs": inputs, "latents": latents, **header, "colors": figures.palette()}, {})


def cost_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"inputs", "latents", "origin"} as `sizes`."""
    _component(key=key, data=data, on_sizes_change=on_change)
