"""One attention score taken apart, and what the scale 1/sqrt(d) does to a row (000 section 1.2, Eq. 3)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.tracing.trace import Trace


def products_of(trace: Trace, layer: int, head: int, query: int, key: int) -> Float[Tensor, " d"]:
    """The terms of one score: scaled products of query and key, to which relative positions add their vector."""
    q, k, _ = trace.qk(layer, head)
    spec = trace.specs[layer]
    met = k[key] * spec.scale
    if spec.mask.relative is not None:
        met = met + spec.mask.relative[min(abs(query - key), len(spec.mask.relative) - 1)]
    return q[query] * met


def row_measures(scores: Float[Tensor, "r s"]) -> tuple[float, float]:
    """Mean entropy in bits and mean sum |p - y| of rows of masked scores, y one-hot at each row's largest."""
    p = torch.softmax(scores, -1)
    entropy = -torch.xlogy(p, p).sum(-1).mean().item() / math.log(2)
    return entropy, (2 * (1 - p.amax(-1))).mean().item()  # sum |p - y| = (1 - p_y) + the rest, also 1 - p_y
