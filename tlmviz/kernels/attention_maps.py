"""The attention map as a view, recomputed from q, k and lse: tiles, pooled pictures, statistics. Public functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, TypeVar, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from tlmviz.errors import BadShape, UnknownName

from .arguments import check_lse, scale_of
from .attention import attention_backend
from .mask import CAUSAL, AttentionMask, build_mask
from .reference import attention_maps as reference

REDUCTIONS = ("max", "mean", "sum")
F = TypeVar("F", bound=Callable[..., Any])


def _outside_autocast(function: F) -> F:
    """A map is exact also where it is read inside `torch.autocast`, which would round the product of q and k."""

    @wraps(function)
    def run(*args: Any, **named: Any) -> Any:
        q = args[0] if args else named["q"]
        device = q.device.type
        if not (torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)):
            return function(*args, **named)
        with torch.autocast(device, enabled=False):
            return function(*args, **named)

    return cast(F, run)


@_outside_autocast
def attention_scores(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    mask: AttentionMask = CAUSAL,
    *,
    rows: slice = slice(None),
    cols: slice = slice(None),
    scale: float | None = None,
    backend: str = "auto",
    **parts: Any,
) -> Float[Tensor, "b h r c"]:
    """A tile of the scores q.k * scale + bias; hidden cells are -inf. Mask, scale and errors as in `attention`.

    Float32 for 16-bit inputs. Only torch has its gradient, so "auto" is torch where one is needed.
    """
    mask = build_mask(mask, parts).fit(q, k)
    return _family(q, k, backend, mask).attention_scores(q, k, rows, cols, mask, scale_of(q, scale))


@_outside_autocast
def attention_map(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    lse: Float[Tensor, "b h t"],
    mask: AttentionMask = CAUSAL,
    *,
    rows: slice = slice(None),
    cols: slice = slice(None),
    scale: float | None = None,
    backend: str = "auto",
    **parts: Any,
) -> Float[Tensor, "b h r c"]:
    """A tile of the attention probabilities, exact: exp(score - lse). Mask, scale and errors as in `attention`.

    Float32 for 16-bit inputs. Only torch has its gradient, so "auto" is torch where one is needed.
    """
    mask = build_mask(mask, parts).fit(q, k)
    check_lse(q, lse)
    return _family(q, k, backend, mask, lse).attention_map(q, k, lse, rows, cols, mask, scale_of(q, scale))


@_outside_autocast
def pooled_attention_map(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    lse: Float[Tensor, "b h t"],
    mask: AttentionMask = CAUSAL,
    *,
    size: int = 64,
    reduce: str = "max",
    scale: float | None = None,
    backend: str = "auto",
    **parts: Any,
) -> Float[Tensor, "b h n n"]:
    """A size x size picture of the map: cell (i, j) reduces rows floor(iT/n) to ceil((i+1)T/n), columns likewise.

    `reduce` is "max", "mean" or "sum" over the cells of a bin. Where n does not divide T, neighbouring bins share a
    row, so that "sum" counts it twice; below T = size, bins repeat cells. Memory is one strip of rows, never T x S.
    Mask, scale and errors as in `attention`; an unknown `reduce` raises UnknownName. No gradient in Triton.
    """
    mask = build_mask(mask, parts).fit(q, k)
    check_lse(q, lse)
    if reduce not in REDUCTIONS:
        raise UnknownName(f"There is no reduction {reduce!r}; choose one of {', '.join(REDUCTIONS)}.")
    if size < 1:
        raise BadShape(f"size is {size}; a pooled map needs at least 1 row.")
    return _family(q, k, backend, mask, lse).pooled_attention_map(q, k, lse, size, reduce, mask, scale_of(q, scale))


@_outside_autocast
def head_statistics(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    lse: Float[Tensor, "b h t"],
    mask: AttentionMask = CAUSAL,
    *,
    ids: Int[Tensor, " s"] | None = None,
    bands: bool = False,
    scale: float | None = None,
    backend: str = "auto",
    **parts: Any,
) -> dict[str, Float[Tensor, "b h t"] | Float[Tensor, "b h t n"]]:
    """Per head and row: entropy (nats), peak, sink, self, previous, distance (tokens), max_logit, and with `ids`
    induction.

    max_logit is the largest score that the row sees, scaled and with its bias, -inf where it sees nothing.
    induction is the mass on positions whose predecessor equals the query's token, NaN where there is none.
    With `bands` also bands [B, H, T, N], the mass by distance in either direction: 0, 1, 2-3, 4-7, ...;
    band n > 0 begins at 2^(n-1). Mask, scale and errors as in `attention`. Memory O(T). No gradient in Triton.
    """
    mask = build_mask(mask, parts).fit(q, k)
    check_lse(q, lse)
    if ids is not None and ids.shape != k.shape[2:3]:
        raise BadShape(
            f"ids {list(ids.shape)} must hold one token per key, of which k {list(k.shape)} has {k.shape[2]}."
        )
    return _family(q, k, backend, mask, lse).head_statistics(q, k, lse, ids, bands, mask, scale_of(q, scale))


def _family(q: Tensor, k: Tensor, backend: str, mask: AttentionMask, *others: Tensor) -> ModuleType:
    if attention_backend(q, backend, mask, differentiable=False, others=(k, *others)) == "triton":
        from . import attention_maps_triton

        return attention_maps_triton
    return reference
