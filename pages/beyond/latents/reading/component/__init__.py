"""A pad to draw a digit on, and every latent's map over it.

All layers' and heads' maps are sent whole; pointing, heads and the bars are the browser's. It answers with what is
drawn, once per stroke, and with head, kept map and muted latents.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_latents", Path(__file__).parent)


def payload(
    head_maps: Float[np.ndarray, "l h m n"], mixing: Float[np.ndarray, "l h m m"], **header: Any
) -> bytes:
    """What the view shows: the maps of all heads, before which their mean is put.

    `header` has `pixels` (64 letters), `probabilities`, `truth` (or None), `said`, `error` ("" for none), `head` (from 1; 0 is
    the mean), `pin` [layer, latent] or None, `muted`, `origin`, `seq`, the number of the browser's last message, and `picture`.
    """
    layers, heads, latents, _ = head_maps.shape
    sizes = {"layers": layers, "heads": heads, "latents": latents}
    arrays = {
        name: np.concatenate((each.mean(1, keepdims=True), each), 1).astype(np.float32)
        for name, each in (("reading", head_maps), ("mixing", mixing))
    }
    return pack({**sizes, **header, "colors": figures.palette()}, arrays)


def latents_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"pixels" (or None), "head", "pin", "muted", "origin", "seq"} as `latents`."""
    _component(key=key, data=data, on_latents_change=on_change)
