"""One product in few bits, drawn in the browser: maps, channels, and a scale that answers while it is moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.numbers.product_parts import Part, Product
from tlmviz.analysis.numbers.scaling import Scheme
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_scaling", Path(__file__).parent)


def payload(
    product: Product, scheme: Scheme, tokens: list[str], *, title: str, state: Mapping[str, Any], picture: int
) -> bytes:
    """Everything the view shows. `state` holds `see`, `color`, `factor` (doublings) and `origin`."""
    sides, arrays = {}, {}
    for name, part in product.parts.items():
        sides[name] = _side(part)
        arrays |= {
            f"{name}_values": part.values,
            f"{name}_errors": part.errors,
            f"{name}_numbers": part.numbers.astype(np.float32),
            f"{name}_loud": part.loud,
            f"{name}_kept": part.kept,
            f"{name}_plain": part.plain,
        }
    for name, sample in product.samples.items():
        sides[name] |= {"tail": sample.tail, "weight": sample.weight, "scale": sample.scale}
        arrays[f"{name}_sample"] = sample.values
    header = {
        "title": title,
        "format": scheme.kept.described(),
        "per": scheme.per,
        "block": scheme.block,
        "tokens": tokens,
        "sides": sides,
        "state": dict(state),
        "picture": picture,
        "colors": figures.palette(),
    }
    return pack(header, {name: array.astype(np.float32) for name, array in arrays.items()})


def _side(part: Part) -> dict[str, Any]:
    sqnr = part.sqnr if np.isfinite(part.sqnr) else None
    return {"shape": part.shape, "cell": part.cell, "sqnr": sqnr}


def scaling_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"see", "color", "factor"} as `place` when it rests."""
    _component(key=key, data=data, on_place_change=on_change)
