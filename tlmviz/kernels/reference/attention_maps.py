"""Maps, pooled pictures and statistics in torch. Arguments are checked by the public functions."""

from __future__ import annotations

import torch
from torch import Tensor

from ..mask import AttentionMask
from . import attention
from .attention import _bias, _hide_padding, _normalise, any_large, capped, expand, tiles, visible, whole_rows, wide

CELLS_AT_ONCE = 1 << 19  # statistics go over a strip of scores several times: it stays in the cache
FEWEST_ROWS = 16  # of a strip


def attention_scores(q: Tensor, k: Tensor, rows: slice, cols: slice, mask: AttentionMask, scale: float) -> Tensor:
    """See `kernels.attention_scores`."""
    tile_q = wide(q[:, :, rows])
    tile_k = expand(wide(_hide_padding(k, mask)[:, :, cols]), q.shape[1])
    scores = (tile_q * scale) @ tile_k.transpose(-1, -2)
    scores = capped(scores, mask.softcap)
    shown, common = range(k.shape[2])[cols], 0
    if mask.plain and mask.causal and scores.numel():
        # Keys up to the first row's own are seen by every row: nothing to add there, and a third of the time saved.
        own = range(q.shape[2])[rows].start + k.shape[2] - q.shape[2]
        common = len(range(shown.start, min(own + 1, shown.stop), shown.step))
    rest = shown[common:]
    bias = _bias(rows, slice(rest.start, rest.stop, rest.step), q.shape[2], k.shape[2], mask, q)
    if bias is not None:
        scores[..., common:] += bias
    return scores


def attention_map(
    q: Tensor, k: Tensor, lse: Tensor, rows: slice, cols: slice, mask: AttentionMask, scale: float
) -> Tensor:
    """See `kernels.attention_map`."""
    lse = lse[:, :, rows]
    if any_large(lse):
        logp = _normalise(attention_scores(q, k, rows, slice(None), mask, scale), lse)
        return whole_rows(logp, lse, mask.sinks).exp()[..., cols]
    scores = attention_scores(q, k, rows, cols, mask, scale)
    return _normalise(scores, lse).exp_()


def pooled_attention_map(
    q: Tensor, k: Tensor, lse: Tensor, size: int, reduce: str, mask: AttentionMask, scale: float
) -> Tensor:
    """See `kernels.pooled_attention_map`."""
    queries, keys = q.shape[2], k.shape[2]
    picture = wide(q).new_zeros(*q.shape[:2], size, size)
    strip = max(1, attention.TILE_ROWS * size // max(queries, size))  # output rows whose inputs fill about one tile
    for top in range(0, size if queries and keys else 0, strip):
        bottom = min(top + strip, size)
        rows = slice(top * queries // size, -(-bottom * queries // size))
        seen = visible(rows, queries, keys, mask)
        # Whole bins only, so that a bin is reduced in one piece.
        left = seen.start * size // keys
        right = min(size, -(-seen.stop * size // keys))
        if right <= left:
            continue
        cols = slice(left * keys // size, -(-right * keys // size))
        logp = _normalise(attention_scores(q, k, rows, cols, mask, scale), lse[:, :, rows])
        logp = whole_rows(logp, lse[:, :, rows], mask.sinks)
        index_c = _bins(left, right, keys, size, cols.start, q.device)
        index_r = _bins(top, bottom, queries, size, rows.start, q.device)
        if reduce == "max":
            # max commutes with exp, so only the pooled cells are exponentiated
            tile = _reduce_max(_reduce_max(logp, index_c, 3), index_r, 2).exp_()
        else:
            tile = _sum_bins(logp.exp_(), index_r, index_c, mean=reduce == "mean")
        picture[:, :, top:bottom, left:right] = tile
    return picture


def head_statistics(
    q: Tensor, k: Tensor, lse: Tensor, ids: Tensor | None, bands: bool, mask: AttentionMask, scale: float
) -> dict[str, Tensor]:
    """See `kernels.head_statistics`."""
    queries, keys = q.shape[2], k.shape[2]
    names = ("entropy", "peak", "sink", "self", "previous", "distance", "max_logit") + (
        ("induction",) if ids is not None else ()
    )
    result = {name: wide(q).new_zeros(q.shape[:3]) for name in names}
    result["max_logit"].fill_(-torch.inf)
    if ids is not None:
        result["induction"].fill_(torch.nan)
    if bands:
        result["bands"] = wide(q).new_zeros(*q.shape[:3], band_count(queries, keys))
    height = min(attention.TILE_ROWS, max(FEWEST_ROWS, CELLS_AT_ONCE // max(1, len(q) * q.shape[1] * keys)))
    for rows, cols in tiles(queries, keys, mask, height):
        own = torch.arange(rows.start, rows.stop, device=q.device) + keys - queries  # each query's key index
        if ids is not None:
            follows = _follows(ids, own)
            result["induction"][:, :, rows].masked_fill_(follows.any(-1), 0.0)
        if cols.stop == cols.start:
            continue  # no key, no mass
        where = torch.arange(cols.start, cols.stop, device=q.device)
        logp = attention_scores(q, k, rows, cols, mask, scale)
        logp -= lse[:, :, rows].masked_fill(lse[:, :, rows] == -torch.inf, 0.0)[..., None]
        result["max_logit"][:, :, rows] = logp.amax(-1) + lse[:, :, rows]
        logp = whole_rows(logp, lse[:, :, rows], mask.sinks)
        result["peak"][:, :, rows] = logp.amax(-1).exp()
        p = logp.exp()
        for name, index in (("sink", 0 * own), ("self", own), ("previous", own - 1)):
            result[name][:, :, rows] = _pick(p, index - cols.start)
        # Counted from the strip's first query, not from the text's end: differences of small numbers are exact.
        back = p @ (own[0] - where).to(p.dtype)
        result["distance"][:, :, rows] = back + p.sum(-1) * (own - own[0]).to(p.dtype)
        if ids is not None:
            row, col = follows[:, cols].nonzero().unbind(-1)
            result["induction"][:, :, rows] += p.new_zeros(p.shape[:3]).index_add_(2, row, p[:, :, row, col])
        if bands:
            number = _band((own[:, None] - where).abs()).expand(p.shape)
            result["bands"][:, :, rows] = result["bands"][:, :, rows].scatter_add(-1, number, p)
        # -1000 in the place of -inf, whose product with p = 0 would not be 0
        result["entropy"][:, :, rows] = -logp.clamp_(min=-1000.0).mul_(p).sum(-1)
    return result


def band_count(queries: int, keys: int) -> int:
    """Bands that distances up to the longest one fall into: 0, 1, 2-3, 4-7, ..."""
    return (max(queries, keys, 1) - 1).bit_length() + 1


# --- parts ---------------------------------------------------------------------------------------


def _band(distance: Tensor) -> Tensor:
    """The number of binary digits: 0 for 0, 1 for 1, 2 for 2-3, 3 for 4-7, ..."""
    return torch.frexp(distance.double())[1].long()


def _bins(first: int, last: int, length: int, size: int, origin: int, device: torch.device) -> Tensor:
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
    rows, cols = _membership(index_r, p, 2), _membership(index_c, p, 3)
    sums = rows @ p @ cols.T
    return sums.div_(rows.sum(1)[:, None] * cols.sum(1)) if mean else sums


def _membership(index: Tensor, tile: Tensor, dim: int) -> Tensor:
    """[bins, cells] with 1 where the cell belongs to the bin."""
    member = tile.new_zeros(index.shape[0], tile.shape[dim])
    return member.scatter_(1, index, 1.0)


def _follows(ids: Tensor, own: Tensor) -> Tensor:
    """Whether each key's predecessor is the query's own token, [R, S]: a key ahead of the query does not count."""
    follows = torch.zeros(len(own), len(ids), dtype=torch.bool, device=ids.device)
    if len(ids):
        follows[:, 1:] = ids[:-1] == ids[own.clamp(min=0)][:, None]
    return follows & (torch.arange(len(ids), device=ids.device) <= own[:, None])


def _pick(p: Tensor, index: Tensor) -> Tensor:
    """p[..., t, index[t]], zero where the index is outside."""
    column = index.clamp(0, p.shape[-1] - 1)[:, None].expand(*p.shape[:-1], 1)
    return p.gather(-1, column)[..., 0] * ((index >= 0) & (index < p.shape[-1])).to(p.dtype)
