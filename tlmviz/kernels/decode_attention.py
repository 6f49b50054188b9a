"""One decoding step against a cache: the public function, which checks its arguments and chooses a backend."""

from __future__ import annotations

from typing import Any

from jaxtyping import Float, Int
from torch import Tensor

from tlmviz.errors import BadShape

from .arguments import check_added, check_bias, check_lengths, check_qk, check_values, scale_of
from .attention import attention_backend
from .mask import CAUSAL, AttentionMask, build_mask
from .reference import decode_attention as reference


def decode_attention(
    q: Float[Tensor, "b h 1 d"],
    k: Float[Tensor, "b g s d"] | Float[Tensor, "pages g page d"],
    v: Float[Tensor, "b g s e"] | Float[Tensor, "pages g page e"],
    mask: AttentionMask = CAUSAL,
    *,
    table: Int[Tensor, "b n"] | None = None,
    scale: float | None = None,
    splits: int | None = None,
    backend: str = "auto",
    **parts: Any,
) -> tuple[Float[Tensor, "b h 1 e"], Float[Tensor, "b h 1"]]:
    """One new query per row against its cached keys, its own included; out and natural lse as `attention` gives them.

    With a block `table` the cache is pages [pages, G, page, D], and row b's page n is number table[b, n]; without
    one it is [B, G, S, D]. Mask and parts are those of `attention`, without segments and
    visible: row b holds `lengths[b]` keys (all by default) and its query is at the last of them, so that causal or not
    is the same; what the cache holds beyond is never read into the result, and a row of length 0 gives zeros and lse =
    -inf (its sink where the mask has sinks). `splits` is how many parts of the cache are read at once (Triton; by
    default enough to fill the device). Entries of `table` that the length does not reach may be anything. No gradient
    in Triton. Raises BadShape and BadBackend. Source: 003 section 4; Dao et al. 2023 (Flash-Decoding), Kwon et al. 2023
    (paging).
    """
    if q.ndim != 4 or q.shape[2] != 1:
        raise BadShape(f"q {list(q.shape)} must hold one new query per row, [B, H, 1, D].")
    if table is None:
        check_qk(q, k)
    else:
        if table.ndim != 2 or table.shape[0] != q.shape[0] or table.is_floating_point():
            raise BadShape(
                f"table {list(table.shape)} of {table.dtype} must be whole numbers [B, pages] for q {list(q.shape)}."
            )
        check_qk(q, k[:1].expand(q.shape[0], -1, -1, -1) if k.ndim == 4 else k)
    check_values(k, v)
    mask = build_mask(mask, parts)
    for part in ("segments", "visible"):
        if getattr(mask, part) is not None:
            raise BadShape(f"A decoding step has no {part}: each row of the cache is one text; give lengths instead.")
    check_bias(q, mask.window, mask.slopes, mask.relative)
    keys = k.shape[2] if table is None else table.shape[1] * k.shape[2]
    check_added(q, keys, mask.softcap, mask.sinks, mask.bias)
    check_lengths(q, mask.lengths)
    if splits is not None and splits < 1:
        raise BadShape(f"splits is {splits}; the cache is read in 1 part or more.")
    scale = scale_of(q, scale)
    if attention_backend(q, backend, mask, differentiable=False, others=(k, v)) == "torch":
        return reference.decode_attention(q, k, v, table, mask, scale)
    from . import decode_attention_triton

    return decode_attention_triton.decode_attention(q, k, v, table, mask, scale, splits)
