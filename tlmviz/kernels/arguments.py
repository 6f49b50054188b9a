"""Checks that the arguments of the attention functions share."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..errors import BadShape


def scale_of(q: Tensor, scale: float | None) -> float:
    """The scale that was given, or 1 / sqrt(D)."""
    return q.shape[-1] ** -0.5 if scale is None else scale


def check_qk(q: Tensor, k: Tensor) -> None:
    """Raises BadShape unless queries [B, H, T, D] fit keys [B, G, S, D]."""
    if q.ndim != 4 or k.ndim != 4:
        raise BadShape(f"q and k must be [B, heads, positions, D]; q is {list(q.shape)}, k is {list(k.shape)}.")
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or not k.shape[1] or q.shape[1] % k.shape[1]:
        raise BadShape(
            f"q {list(q.shape)} and k {list(k.shape)} do not fit: batch and D must be equal, "
            "and the query heads a multiple of the key heads."
        )


def check_values(k: Tensor, v: Tensor) -> None:
    """Raises BadShape unless there is one value per key."""
    if v.ndim != 4 or v.shape[:3] != k.shape[:3]:
        raise BadShape(f"k {list(k.shape)} and v {list(v.shape)} must agree in batch, heads and positions.")


def check_bias(q: Tensor, window: int | None, slopes: Tensor | None, relative: Tensor | None) -> None:
    """Raises BadShape for an empty window, slopes that are not one per query head, or vectors per distance that do not
    fit."""
    if slopes is not None and slopes.shape != q.shape[1:2]:
        raise BadShape(f"slopes {list(slopes.shape)} must hold one number per query head, of which q has {q.shape[1]}.")
    if window is not None and window < 1:
        raise BadShape(f"window is {window}; a query must see at least itself, so give 1 or more.")
    if relative is not None and (relative.ndim != 2 or not relative.shape[0] or relative.shape[1] != q.shape[-1]):
        raise BadShape(
            f"relative {list(relative.shape)} must hold one vector per distance, of at least one, as long as a query: "
            f"[R, {q.shape[-1]}]."
        )


def check_added(q: Tensor, keys: int, softcap: float | None, sinks: Tensor | None, bias: Any) -> None:
    """Raises BadShape for a cap that is not above 0, sinks that are not one per query head, or a bias that does not
    fit."""
    batch, heads, queries = q.shape[:3]
    if softcap is not None and not softcap > 0:
        raise BadShape(f"softcap is {softcap}; scores are bent towards a number above 0, or not at all (None).")
    if sinks is not None and sinks.shape != q.shape[1:2]:
        raise BadShape(f"sinks {list(sinks.shape)} must hold one score per query head, of which q has {heads}.")
    if bias is not None and (
        bias.ndim != 4
        or bias.shape[0] not in (1, batch)
        or bias.shape[1] not in (1, heads)
        or bias.shape[2:] != (queries, keys)
    ):
        raise BadShape(
            f"bias {list(bias.shape)} must hold one number per query and key, for all rows and heads or for each: "
            f"[1 or {batch}, 1 or {heads}, {queries}, {keys}]."
        )


def check_lengths(q: Tensor, lengths: Tensor | None) -> None:
    """Raises BadShape unless there is one whole number per row of the batch."""
    if lengths is not None and (lengths.shape != q.shape[:1] or lengths.is_floating_point()):
        raise BadShape(
            f"lengths {list(lengths.shape)} of {lengths.dtype} must hold one whole number per row of the batch, "
            f"of which q {list(q.shape)} has {q.shape[0]}."
        )


def check_lse(q: Tensor, lse: Tensor) -> None:
    """Raises BadShape unless there is one lse per query."""
    if lse.shape != q.shape[:3]:
        raise BadShape(f"lse {list(lse.shape)} must match q's batch, heads and positions {list(q.shape[:3])}.")


def check_finite(**tensors: Tensor) -> None:
    """Raises BadShape naming the first tensor that holds a NaN or an infinity, how many, and where the first one is.

    The kernels do not look themselves: it would cost a pass over every input. Example: `check_finite(q=q, k=k, v=v)`.
    """
    for name, tensor in tensors.items():
        bad = ~torch.isfinite(tensor)
        if bad.any():
            first = bad.nonzero()[0].tolist()
            raise BadShape(
                f"{name} {list(tensor.shape)} holds {int(bad.sum())} numbers that are not finite, the first at "
                f"{first}: {tensor[tuple(first)].item()}; give finite numbers."
            )
