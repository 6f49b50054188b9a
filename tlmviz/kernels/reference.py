"""Torch references: the specification of every kernel, and what runs on a CPU.

Shapes as in the package's docstring. Arguments are checked by the public functions.
"""

from __future__ import annotations

import torch
from torch import Tensor

TILE_ROWS = 256  # rows of scores alive at once: the only T x S temporary is one such strip


def attention(q, k, v, *, causal, window, slopes, scale):
    """See `kernels.attention`."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    k, v = _expand(k, q.shape[1]), _expand(v, q.shape[1])
    queries, keys = q.shape[2], k.shape[2]
    plain = window is None and slopes is None
    if plain and (not causal or queries in (1, keys)) and _flash_fits(q, v):
        return _flash(q, k, v, scale, is_causal=causal and queries > 1)
    outs, lses = [], []
    for start in range(0, max(1, queries), TILE_ROWS):  # no queries are one empty tile
        rows = slice(start, min(start + TILE_ROWS, queries))
        cols = _visible(rows, queries, keys, causal, window)
        bias = _bias(rows, cols, queries, keys, causal, window, slopes, q)
        tile = (q[:, :, rows], k[:, :, cols], v[:, :, cols], scale)
        # Rows before the first key see nothing; only the plain formula handles those.
        flash = _flash_fits(q, v) and keys >= queries
        out, lse = _flash(*tile, mask=bias) if flash else _formula(*tile, bias)
        outs.append(out)
        lses.append(lse)
    return torch.cat(outs, 2), torch.cat(lses, 2)


def attention_scores(q, k, *, rows, cols, causal, window, slopes, scale):
    """See `kernels.attention_scores`."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    queries, keys = q.shape[2], k.shape[2]
    tile_q = q[:, :, rows]
    tile_k = _expand(k[:, :, cols], q.shape[1])
    scores = (tile_q * scale) @ tile_k.transpose(-1, -2)
    bias = _bias(rows, cols, queries, keys, causal, window, slopes, q)
    return scores if bias is None else scores.add_(bias)


def attention_map(q, k, lse, *, rows, cols, causal, window, slopes, scale):
    """See `kernels.attention_map`."""
    scores = attention_scores(
        q, k, rows=rows, cols=cols, causal=causal, window=window, slopes=slopes, scale=scale
    )
    return _normalise(scores, lse[:, :, rows]).exp_()


def pooled_attention_map(q, k, lse, *, size, reduce, causal, window, slopes, scale):
    """See `kernels.pooled_attention_map`."""
    queries, keys = q.shape[2], k.shape[2]
    options = dict(causal=causal, window=window, slopes=slopes, scale=scale)
    picture = q.new_zeros(*q.shape[:2], size, size)
    strip = max(1, TILE_ROWS * size // max(queries, size))  # output rows whose inputs fill about one tile
    for top in range(0, size, strip):
        bottom = min(top + strip, size)
        rows = slice(top * queries // size, -(-bottom * queries // size))
        seen = _visible(rows, queries, keys, causal, window)
        # Whole bins only, so that a bin is reduced in one piece.
        left = seen.start * size // keys
        right = min(size, -(-seen.stop * size // keys))
        if right <= left:
            continue
        cols = slice(left * keys // size, -(-right * keys // size))
        scores = attention_scores(q, k, rows=rows, cols=cols, **options)
        logp = _normalise(scores, lse[:, :, rows])
        index_c = _bins(left, right, keys, size, cols.start, q.device)
        index_r = _bins(top, bottom, queries, size, rows.start, q.device)
        if reduce == "max":
            # max commutes with exp, so only the pooled cells are exponentiated
            tile = _reduce_max(_reduce_max(logp, index_c, 3), index_r, 2).exp_()
        else:
            tile = _sum_bins(logp.exp_(), index_r, index_c, mean=reduce == "mean")
        picture[:, :, top:bottom, left:right] = tile
    return picture


def head_statistics(q, k, lse, *, ids, causal, window, slopes, scale):
    """See `kernels.head_statistics`."""
    queries, keys = q.shape[2], k.shape[2]
    names = ("entropy", "peak", "sink", "self", "previous", "distance") + (("induction",) if ids is not None else ())
    result = {name: q.new_zeros(q.shape[:3]) for name in names}
    where = torch.arange(keys, device=q.device)
    for start in range(0, queries, TILE_ROWS):
        rows = slice(start, min(start + TILE_ROWS, queries))
        p = attention_map(
            q, k, lse, rows=rows, cols=slice(None), causal=causal, window=window, slopes=slopes, scale=scale
        )
        own = torch.arange(rows.start, rows.stop, device=q.device) + keys - queries  # each query's key index
        # x log x with 0 log 0 = 0
        result["entropy"][:, :, rows] = -torch.xlogy(p, p).sum(-1)
        result["peak"][:, :, rows] = p.amax(-1)
        result["sink"][:, :, rows] = p[..., 0]
        result["self"][:, :, rows] = _pick(p, own)
        result["previous"][:, :, rows] = _pick(p, own - 1)
        back = (own[:, None] - where[None, :]).to(p.dtype)
        result["distance"][:, :, rows] = (p * back).sum(-1)
        if ids is not None:
            follows = torch.zeros(len(own), keys, dtype=torch.bool, device=q.device)
            follows[:, 1:] = ids[:-1][None, :] == ids[own.clamp(min=0)][:, None]
            follows &= where[None, :] <= own[:, None]
            mass = (p * follows).sum(-1)
            result["induction"][:, :, rows] = mass.masked_fill(~follows.any(-1), float("nan"))
    return result


def angle_table(positions, dim, base):
    """See `kernels.angle_table`. Angles are formed in float64: t * frequency loses digits in float32 at large t."""
    plane = torch.arange(0, dim, 2, dtype=torch.float64, device=positions.device)
    angles = positions.to(torch.float64)[:, None] * float(base) ** (-plane / dim)
    return angles.cos().float(), angles.sin().float()


def rotate(x, cos, sin, *, layout):
    """See `kernels.rotate`."""
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    if layout == "interleaved":
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)


# --- parts ---------------------------------------------------------------------------------------


def _expand(k: Tensor, heads: int) -> Tensor:
    """Repeat each key/value head for its group of query heads."""
    return k if k.shape[1] == heads else k.repeat_interleave(heads // k.shape[1], dim=1)


def _flash_fits(q: Tensor, v: Tensor) -> bool:
    # The fused kernel divides by the number of keys: an empty tensor would end the process.
    return q.device.type == "cpu" and q.shape[-1] == v.shape[-1] and q.numel() > 0 and v.numel() > 0


def _flash(q, k, v, scale, is_causal=False, mask=None):
    """Torch's own fused CPU kernel; unlike scaled_dot_product_attention it also returns the lse."""
    if mask is not None:
        mask = mask.expand(q.shape[0], q.shape[1], *mask.shape[-2:])
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        q, k, v, 0.0, is_causal, attn_mask=mask, scale=scale
    )


def _formula(q, k, v, scale, bias):
    """Softmax attention as written: for devices and shapes without a fused kernel."""
    scores = (q * scale) @ k.transpose(-1, -2)
    if bias is not None:
        scores = scores + bias
    lse = scores.logsumexp(-1) if scores.shape[-1] else scores.new_full(scores.shape[:-1], -torch.inf)
    return _normalise(scores, lse).exp() @ v, lse


def _normalise(scores: Tensor, lse: Tensor) -> Tensor:
    """scores - lse, where a row that sees nothing (lse = -inf) stays -inf instead of NaN."""
    return scores - lse.masked_fill(lse == -torch.inf, 0.0)[..., None]


def _visible(rows: slice, queries: int, keys: int, causal: bool, window: int | None) -> slice:
    """The span of keys that any query in these rows can see."""
    offset = keys - queries
    first = 0 if window is None else max(0, rows.start + offset - window + 1)
    last = max(0, rows.stop + offset) if causal else keys
    return slice(min(first, last), last)


def _bias(rows, cols, queries, keys, causal, window, slopes, like):
    """ALiBi and the mask as one additive tile [1, H or 1, R, C]; None when there is nothing to add."""
    row = torch.arange(queries, device=like.device)[rows] + keys - queries
    col = torch.arange(keys, device=like.device)[cols]
    distance = row[:, None] - col[None, :]
    hidden = None
    if causal:
        hidden = distance < 0
    if window is not None:
        beyond = distance.abs() >= window
        hidden = beyond if hidden is None else hidden | beyond
    if hidden is None and slopes is None:
        return None
    bias = like.new_zeros(1, 1, len(row), len(col))
    if slopes is not None:
        bias = -slopes.to(like.dtype)[None, :, None, None] * distance.abs().to(like.dtype)
    return bias if hidden is None else bias.masked_fill(hidden, -torch.inf)


def _bins(first: int, last: int, length: int, size: int, origin: int, device) -> Tensor:
    """Indices of each bin's cells, [bins, width], relative to origin; short bins repeat their last cell."""
    edge = torch.arange(first, last, device=device)
    start, stop = edge * length // size, -((-(edge + 1) * length) // size)
    width = int((stop - start).max())
    index = start[:, None] + torch.arange(width, device=device)
    return torch.minimum(index, stop[:, None] - 1) - origin


def _reduce_max(tile: Tensor, index: Tensor, dim: int) -> Tensor:
    if index.shape[1] == 1 and index.shape[0] == tile.shape[dim]:
        return tile
    if index.numel() == tile.shape[dim]:  # equal bins: a reshape, no gather
        return tile.unflatten(dim, tuple(index.shape)).amax(dim + 1)
    # one gather per offset within the bin keeps memory at one copy
    best = tile.index_select(dim, index[:, 0])
    for offset in range(1, index.shape[1]):
        best = torch.maximum(best, tile.index_select(dim, index[:, offset]))
    return best


def _sum_bins(p: Tensor, index_r: Tensor, index_c: Tensor, mean: bool) -> Tensor:
    return _membership(index_r, p, 2, mean) @ p @ _membership(index_c, p, 3, mean).T


def _membership(index: Tensor, tile: Tensor, dim: int, mean: bool) -> Tensor:
    """[bins, cells] with 1 (or 1 / bin size) where the cell belongs to the bin."""
    member = tile.new_zeros(index.shape[0], tile.shape[dim])
    member.scatter_(1, index, 1.0)
    return member / member.sum(1, keepdim=True) if mean else member


def _pick(p: Tensor, index: Tensor) -> Tensor:
    """p[..., t, index[t]], zero where the index is negative."""
    column = index.clamp(min=0)[:, None].expand(*p.shape[:-1], 1)
    return p.gather(-1, column)[..., 0] * (index >= 0).to(p.dtype)
