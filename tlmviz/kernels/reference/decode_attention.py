"""One decoding step in torch. Arguments are checked by the public function."""

from __future__ import annotations

import torch
from einops import rearrange
from torch import Tensor

from ..mask import AttentionMask
from .attention import _dense, _flash, _flash_fits, _normalise, add_sinks, by_relative, capped, whole_rows, wide


def decode_attention(
    q: Tensor, k: Tensor, v: Tensor, table: Tensor | None, mask: AttentionMask, scale: float
) -> tuple[Tensor, Tensor]:
    """See `kernels.decode_attention`."""
    return add_sinks(*_without_sinks(q, k, v, table, mask, scale), mask.sinks)


def _without_sinks(
    q: Tensor, k: Tensor, v: Tensor, table: Tensor | None, mask: AttentionMask, scale: float
) -> tuple[Tensor, Tensor]:
    lengths, window, slopes, relative = mask.lengths, mask.window, mask.slopes, mask.relative
    batch, heads, groups, bias = q.shape[0], q.shape[1], k.shape[1], mask.bias
    bias = None if bias is None else bias[:, :, :, :]  # one row, also of a DistanceBias
    if table is not None:
        k, v = (_gather(pages, table) for pages in (k, v))  # [B, G, S, D], [B, G, S, E]
    if lengths is not None:
        longest = int(lengths.max().clamp(0, k.shape[2])) if batch else 0
        k, v = k[:, :, :longest], v[:, :, :longest]
        bias = None if bias is None else bias[..., :longest]
        lengths = None if bool((lengths >= longest).all()) else lengths.clamp(0, longest)
    if lengths is None and window is not None:
        bias = None if bias is None else bias[..., -window:]
        k, v, window = k[:, :, -window:], v[:, :, -window:], None
    added = (slopes, relative, bias, mask.softcap)
    if lengths is None and all(part is None for part in added) and _flash_fits(q, v):
        # The heads of a group are queries of one pass over their keys.
        # A plain view: in a loop over tokens, einops would cost more than the attention to them.
        grouped = q.reshape(batch, groups, heads // groups, q.shape[-1])
        out, lse = _flash(_dense(grouped), _dense(k), _dense(v), scale)
        return out.reshape(batch, heads, 1, v.shape[-1]), lse.reshape(batch, heads, 1)
    keys = torch.arange(k.shape[2], device=q.device)
    k, v, hidden = wide(k), wide(v), None
    if lengths is None:
        distance = k.shape[2] - 1 - keys[None]
    else:
        distance = lengths[:, None] - 1 - keys  # [B, S]
        hidden = distance < 0 if window is None else (distance < 0) | (distance >= window)
        # Zeros beyond the length: a hidden NaN would still spread through 0 * NaN.
        k, v = (part.masked_fill((distance < 0)[:, None, :, None], 0.0) for part in (k, v))
    # The heads of a group become rows of one product, so that keys and values are not repeated.
    grouped = rearrange(wide(q), "b (g r) 1 d -> b g r d", g=groups)
    scores = capped((grouped * scale) @ k.transpose(-1, -2), mask.softcap)  # [B, G, R, S]
    if slopes is not None:
        slope = rearrange(slopes.to(scores.dtype), "(g r) -> g r 1", g=groups)
        scores = scores - slope * distance[:, None, None, :].to(scores.dtype)
    if relative is not None:
        scores = scores + by_relative(grouped, distance[:, None, None, :], relative)
    if bias is not None:
        bias = bias.to(scores.dtype).expand(-1, heads, -1, -1)
        scores = scores + rearrange(bias, "b (g r) 1 s -> b g r s", g=groups)
    if hidden is not None:
        scores = scores.masked_fill(hidden[:, None, None, :], -torch.inf)
    lse = scores.logsumexp(-1) if scores.shape[-1] else scores.new_full(scores.shape[:-1], -torch.inf)
    out = whole_rows(_normalise(scores, lse), lse).exp() @ v
    return out.reshape(batch, heads, 1, v.shape[-1]).to(q.dtype), lse.reshape(batch, heads, 1)


def _gather(pages: Tensor, table: Tensor) -> Tensor:
    """Pages in the order of each row's table, joined; entries that name no page read page 0 and must be hidden."""
    chosen = (
        pages[table.clamp(0, pages.shape[0] - 1)] if pages.shape[0] else pages.new_zeros(*table.shape, *pages.shape[1:])
    )
    return rearrange(chosen, "b n g page d -> b g (n page) d")
