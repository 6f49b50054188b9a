"""Two runs side by side, drawn in the browser: tokens, differences of all heads and of one, cosines, predictions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.workbench.comparing import Comparison
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

BYTES = 400_000  # of all small maps: at most 32 x 32 cells of 270 heads
SIDE = 40  # cells of a small map, at most
TEN = 10

_component = component("tlmviz_compare", Path(__file__).parent)


def payload(
    found: Comparison,
    small: np.ndarray,
    cosines: np.ndarray | None,
    guesses: list,
    head: tuple[int, int],
    **header: Any,
) -> bytes:
    """What the view begins with. `small` are the differences of all heads [L H, n, n], `cosines` None where there are none.

    `guesses` has the likeliest next tokens of both runs behind each aligned token; `header` `title`, `names`, `pin`, `apart`,
    `origin` and `picture`.
    """
    most = max(1e-9, float(np.abs(small).max(initial=0)))
    weights = found.weights(*head)
    pairs = {
        pair: number
        for number, pair in enumerate(zip(found.alignment.a.tolist(), found.alignment.b.tolist()))
    }
    columns = [
        {
            "a": None if i is None else found.a.tokens[i],
            "b": None if j is None else found.b.tokens[j],
            "pair": pairs.get((i, j)),
        }
        for i, j in found.alignment.columns(len(found.a), len(found.b))
    ]
    shape = {
        "columns": columns,
        "layers": found.a.n_layers,
        "heads": found.a.n_heads,
        "side": small.shape[-1],
        "most": most,
        "head": list(head),
        "ten": found.moved(TEN)[["layer", "head"]].to_numpy().tolist(),
        "guesses": guesses,
    }
    arrays = {
        "maps": (np.rint(127 * small / most) + 128).astype(np.uint8),
        "moved": found.heads.moved.to_numpy(np.float32),
        "a": weights[0],
        "b": weights[1],
        "cosines": np.zeros(0, np.float32) if cosines is None else cosines,
        "kl": found.kl,
    }
    return pack({**header, **shape, "colors": figures.palette()}, arrays)


def side_of(heads: int) -> int:
    """How many cells a side the small maps of so many heads may have."""
    return max(8, min(SIDE, int((BYTES / heads) ** 0.5)))


def compare_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"head", "pin"} as `seen`, the head null unless it was clicked."""
    _component(key=key, data=data, on_seen_change=on_change)
