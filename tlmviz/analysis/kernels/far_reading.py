"""Where a head of a long text reads something far back most."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float

from tlmviz.tracing.trace import Trace

FAR = 64  # tokens back from which a read is far


def farthest_look(trace: Trace, layer: int, head: int, picture: Float[np.ndarray, "n n"]) -> int | None:
    """The query of a head with the largest weight on a far token, found by its exact pooled map; None in short
    texts."""
    n, length = len(picture), len(trace)
    far = _far(n, length)
    if not far.any():
        return None
    row, col = divmod(int(np.where(far, picture, -1.0).argmax()), n)
    rows, cols = (slice(at * length // n, -(-(at + 1) * length // n)) for at in (row, col))
    tile = trace.attention(layer, head, rows=rows, cols=cols)
    return rows.start + int(torch.as_tensor(tile).amax(-1).argmax())


def _far(n: int, length: int) -> np.ndarray:
    """Bins of n x n whose every cell is FAR tokens back or more, the first column left out."""
    at = np.arange(n)
    first_query, last_key = at * length // n, -(-(at + 1) * length // n) - 1
    far = first_query[:, None] - last_key[None] >= FAR
    far[:, 0] = False
    return far
