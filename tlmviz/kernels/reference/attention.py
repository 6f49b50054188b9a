"""Softmax attention in torch. Arguments are checked by the public function."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from einops import einsum, reduce
from torch import Tensor

from tlmviz.kernels.differentiable import Gradients, differentiable
from tlmviz.kernels.mask import AttentionMask, Visible

TILE_ROWS = 256  # rows of scores alive at once: the only T x S temporary is one such strip
LARGE = 1024.0  # beyond it, rounding takes so much from an lse that its row of weights would not sum to 1
FEW_ROWS = 16  # queries so few that their mask is written out sooner than it is made of distances


def _forward(q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask, scale: float) -> tuple[Tensor, Tensor]:
    return add_sinks(
        *_without_sinks(q, k, v, mask if mask.sinks is None else replace(mask, sinks=None), scale), mask.sinks
    )


def _without_sinks(q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask, scale: float) -> tuple[Tensor, Tensor]:
    k, v = (expand(_hide_padding(part, mask), q.shape[1]) for part in (k, v))
    q, k, v = map(_dense, (q, k, v))
    if _one_call(q, k, v, mask):
        return _flash(q, k, v, scale, is_causal=mask.causal and q.shape[2] > 1)
    fits = _flash_fits(q, v)
    if fits and mask.plain and mask.causal and q.shape[2] <= min(FEW_ROWS, k.shape[2]):  # the newest tokens of a cache
        return _flash(q, k, v, scale, bias=_newest(q.shape[2], k.shape[2], q), all_see=True)
    outs, lses = [], []
    for rows, cols in tiles(q.shape[2], k.shape[2], mask):
        tile_q, tile_k, tile_v = q[:, :, rows], k[:, :, cols], v[:, :, cols]
        if not fits or cols.stop == cols.start or mask.softcap is not None:
            bias = _bias(rows, cols, q.shape[2], k.shape[2], mask, q)
            out, lse = _formula(tile_q, tile_k, tile_v, scale, bias, mask.softcap)
        elif mask.per_row or mask.relative is not None or mask.bias is not None:
            bias = _bias(rows, cols, q.shape[2], k.shape[2], mask, q)
            out, lse = _flash(tile_q, tile_k, tile_v, scale, bias=bias, alike=mask.bias is None)
        else:
            # Writing out ALiBi's bias for every head would cost as much as the attention itself.
            bias = _sliding_bias(rows, cols, q.shape[2], k.shape[2], mask, q)
            out, lse = (part.flip(2) for part in _flash(tile_q.flip(2), tile_k, tile_v, scale, bias=bias))
        outs.append(out)
        lses.append(lse)
    return torch.cat(outs, 2), torch.cat(lses, 2)


def _backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    grad_out: Tensor | None,
    grad_lse: Tensor | None,
    mask: AttentionMask,
    scale: float,
) -> Gradients:
    """With delta = sum(grad_out * out) - grad_lse per row: dV = P' dO, dS = P * (dO V' - delta), dQ = dS K, dK = dS' Q.

    A sink is a score without a value: its dS is -P delta.
    """
    heads, groups = q.shape[1], k.shape[1]
    grad_out = torch.zeros_like(out) if grad_out is None else grad_out
    if grad_lse is None and heads == groups and _one_call(q, k, v, mask):
        flash_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
        is_causal = mask.causal and q.shape[2] > 1
        of_q, of_k, of_v = flash_backward(*map(_dense, (grad_out, q, k, v, out)), lse, 0.0, is_causal, scale=scale)
        return of_q, of_k, of_v, {}
    types = [part.dtype for part in (q, k, v)]
    learned = {
        name: torch.zeros_like(part, dtype=wide(q).dtype)
        for name in ("relative", "bias")
        if isinstance(part := getattr(mask, name), Tensor)
    }
    delta = (grad_out * out).sum(-1, dtype=lse.dtype)
    delta = delta if grad_lse is None else delta - grad_lse
    k, v = (expand(_hide_padding(wide(part), mask), heads) for part in (k, v))
    q, grad_out = wide(q), wide(grad_out)
    grads = [torch.zeros_like(part) for part in (q, k, v)]
    for rows, cols in tiles(q.shape[2], k.shape[2], mask):
        tile_q, tile_k, tile_grad = q[:, :, rows], k[:, :, cols], grad_out[:, :, rows]
        scores = capped((tile_q * scale) @ tile_k.transpose(-1, -2), mask.softcap)
        bend = None if mask.softcap is None else 1 - (scores / mask.softcap).square()  # tanh's derivative
        bias = _bias(rows, cols, q.shape[2], k.shape[2], mask, q)
        p = _normalise(scores if bias is None else scores.add_(bias), lse[:, :, rows])
        p = whole_rows(p, lse[:, :, rows], mask.sinks).exp_()
        grads[2][:, :, cols] += p.transpose(-1, -2) @ tile_grad
        grad_s = (tile_grad @ v[:, :, cols].transpose(-1, -2)).sub_(delta[:, :, rows, None]).mul_(p)
        if mask.relative is not None:
            distance = _distance(rows, cols, q.shape[2], k.shape[2], q.device)
            grads[0][:, :, rows], added = _by_relative_backward(grad_s, tile_q, distance, mask.relative)
            learned["relative"] += added
        if "bias" in learned:
            cell = learned["bias"][:, :, rows, cols]
            cell += grad_s.sum_to_size(cell.shape)
        grad_s = grad_s.mul_(scale if bend is None else bend.mul_(scale))
        grads[0][:, :, rows] += grad_s @ tile_k
        grads[1][:, :, cols] += grad_s.transpose(-1, -2) @ tile_q
    grads[1:] = [reduce(part, "b (g r) s d -> b g s d", "sum", g=groups) for part in grads[1:]]
    if mask.sinks is not None:
        p = _normalise(mask.sinks.to(lse.dtype)[:, None].expand_as(lse)[..., None], lse)[..., 0].exp()
        learned["sinks"] = -(p * delta).sum((0, 2))
    learned = {name: grad.to(getattr(mask, name).dtype) for name, grad in learned.items()}
    of_q, of_k, of_v = (part.to(dtype) for part, dtype in zip(grads, types))
    return of_q, of_k, of_v, learned


attention = differentiable(_forward, _backward)


# --- parts ---------------------------------------------------------------------------------------


def expand(k: Tensor, heads: int) -> Tensor:
    """Repeat each key/value head for its group of query heads."""
    return k if k.shape[1] == heads else k.repeat_interleave(heads // k.shape[1], dim=1)


def wide(x: Tensor) -> Tensor:
    """At least float32: sixteen bits are too few to add up in."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def capped(scores: Tensor, softcap: float | None) -> Tensor:
    """Scores bent smoothly to between -softcap and softcap."""
    return scores if softcap is None else (scores / softcap).tanh() * softcap


def add_sinks(out: Tensor, lse: Tensor, sinks: Tensor | None) -> tuple[Tensor, Tensor]:
    """out [B, H, T, E] and lse [B, H, T] once each row's denominator has its head's sink too."""
    if sinks is None:
        return out, lse
    total = torch.logaddexp(lse, sinks.to(lse.dtype)[:, None])
    return (out * _normalise(lse[..., None], total).exp()).to(out.dtype), total


def tiles(queries: int, keys: int, mask: AttentionMask, height: int | None = None) -> Iterator[tuple[slice, slice]]:
    """Strips of rows, each with the span of keys it sees; no queries are one empty strip."""
    height = height or TILE_ROWS
    for start in range(0, max(1, queries), height):
        rows = slice(start, min(start + height, queries))
        yield rows, visible(rows, queries, keys, mask)


def visible(rows: slice, queries: int, keys: int, mask: AttentionMask) -> slice:
    """The span of keys that any query in these rows can see."""
    offset, window = keys - queries, mask.window
    first = 0 if window is None else max(0, rows.start + offset - window + 1)
    last = keys if window is None else max(0, min(keys, rows.stop + offset + window - 1))
    if mask.causal:
        last = max(0, rows.stop + offset)
    return slice(min(first, last), last)


def _hide_padding(k: Tensor, mask: AttentionMask) -> Tensor:
    """Zeros beyond each row's length: a hidden NaN would still spread through 0 * NaN."""
    if mask.lengths is None:
        return k
    padding = torch.arange(k.shape[2], device=k.device) >= mask.lengths[:, None]  # [B, S]
    return k.masked_fill(padding[:, None, :, None], 0.0)


def _one_call(q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> bool:
    """Whether torch's fused kernel, which aligns a causal mask at the first query, does the whole of it."""
    return mask.plain and (not mask.causal or q.shape[2] in (1, k.shape[2])) and _flash_fits(q, v)


def _flash_fits(q: Tensor, v: Tensor) -> bool:
    # The fused kernel divides by the number of keys: an empty tensor would end the process.
    return q.device.type == "cpu" and q.shape[-1] == v.shape[-1] and q.numel() > 0 and v.numel() > 0


def _dense(x: Tensor) -> Tensor:
    """Torch's fused kernel reads each vector as if it were contiguous, and checks nothing."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _flash(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    scale: float,
    is_causal: bool = False,
    bias: Tensor | None = None,
    alike: bool = True,
    all_see: bool = False,
) -> tuple[Tensor, Tensor]:
    """Torch's own fused CPU kernel; unlike scaled_dot_product_attention it also returns the lse.

    `alike` says that the bias hides the same from all heads, `all_see` that it leaves every row something.
    """
    mask = None if bias is None else bias.expand(q.shape[0], q.shape[1], *bias.shape[-2:])
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        q, k, v, 0.0, is_causal, attn_mask=mask, scale=scale
    )
    if bias is not None and not all_see:  # it says 0 for a row that sees nothing
        lse = lse.masked_fill((bias[:, :1] if alike else bias).amax(-1) == -torch.inf, -torch.inf)
    return out, lse


def _formula(
    q: Tensor, k: Tensor, v: Tensor, scale: float, bias: Tensor | None, softcap: float | None = None
) -> tuple[Tensor, Tensor]:
    """Softmax attention as written: for devices and shapes without a fused kernel."""
    dtype, (q, k, v) = q.dtype, map(wide, (q, k, v))
    scores = capped((q * scale) @ k.transpose(-1, -2), softcap)
    if bias is not None:
        scores = scores + bias
    lse = scores.logsumexp(-1) if scores.shape[-1] else scores.new_full(scores.shape[:-1], -torch.inf)
    logp = whole_rows(_normalise(scores, lse), lse)
    out = logp.exp() @ v
    return out.to(dtype), lse


def any_large(lse: Tensor) -> bool:
    """Whether rounding took too much from an lse; tensors without numbers have none."""
    return not lse.is_meta and bool(is_large(lse).any())


def is_large(lse: Tensor) -> Tensor:
    """Where rounding took too much from an lse."""
    return (lse.abs() > LARGE) & lse.isfinite()


def whole_rows(logp: Tensor, lse: Tensor, sinks: Tensor | None = None) -> Tensor:
    """Log weights [B, H, R, S] of all keys that a row sees, less what rounding took from its lse, where that is large.

    Beside a score of -1e9, which masks hide with, log S is lost: a row that is hidden as a whole would have weights of
    1 each, where a softmax gives 1 / S.
    """
    if not logp.shape[-1] or not any_large(lse):
        return logp
    large = is_large(lse)
    lost = logp.logsumexp(-1)
    if sinks is not None:
        lost = torch.logaddexp(lost, sinks.to(lse.dtype)[:, None] - lse)
    return logp - lost.where(large & lost.isfinite(), 0.0)[..., None]


def _normalise(scores: Tensor, lse: Tensor) -> Tensor:
    """scores - lse, where a row that sees nothing (lse = -inf) stays -inf instead of NaN."""
    return scores - lse.masked_fill(lse == -torch.inf, 0.0)[..., None]


def _bias(rows: slice, cols: slice, queries: int, keys: int, mask: AttentionMask, like: Tensor) -> Tensor | None:
    """What distance adds and the mask as one additive tile [1 or B, 1 or H, R, C]; None when there is nothing to
    add."""
    if mask.plain and not mask.causal:
        return None
    distance = _distance(rows, cols, queries, keys, like.device)
    bias = _by_distance(distance, mask, like)
    if mask.relative is not None:
        bias = by_relative(wide(like[:, :, rows]), distance, mask.relative).add_(bias)
    if mask.bias is not None:
        bias = bias + mask.bias[:, :, rows, cols].to(bias.dtype)
    if mask.visible is not None:
        bias = bias.masked_fill(_unseen(rows, cols, queries, keys, mask.visible, like.device), -torch.inf)
    if mask.lengths is not None:
        key = torch.arange(keys, dtype=torch.int32, device=like.device)[cols]
        bias = bias.masked_fill((key >= mask.lengths[:, None])[:, None, None, :], -torch.inf)
    if mask.query_ids is not None and mask.key_ids is not None:
        others = mask.query_ids[:, rows, None] != mask.key_ids[:, None, cols]
        bias = bias.masked_fill(others[:, None], -torch.inf)
    return bias


def _newest(queries: int, keys: int, like: Tensor) -> Tensor:
    """The causal mask of the last positions as a bias, [1, 1, T, S]."""
    return like.new_full((queries, keys), -torch.inf).triu_(keys - queries + 1)[None, None]


def _unseen(rows: slice, cols: slice, queries: int, keys: int, visible: Visible, device: torch.device) -> Tensor:
    """What the mask's function hides of a tile, [1 or B, 1, R, C]."""
    row, col = torch.arange(queries, device=device)[rows], torch.arange(keys, device=device)[cols]
    seen = visible(row, col)
    return ~(seen[None, None] if seen.ndim == 2 else seen[:, None])


def _distance(rows: slice, cols: slice, queries: int, keys: int, device: torch.device) -> Tensor:
    """How far each query of a tile stands behind each key, [R, C]: the queries are the last positions."""
    row = torch.arange(keys - queries, keys, dtype=torch.int32, device=device)[rows]
    return row[:, None] - torch.arange(keys, dtype=torch.int32, device=device)[cols]


def _by_distance(distance: Tensor, mask: AttentionMask, like: Tensor) -> Tensor:
    """The part of the bias that distance alone decides, [1, 1 or H, R, C]."""
    hidden = torch.zeros_like(distance, dtype=torch.bool)
    bias = torch.zeros_like(distance, dtype=wide(like).dtype)[None, None]
    if mask.causal:
        hidden = hidden | (distance < 0)
    if mask.window is not None:
        hidden = hidden | (distance.abs() >= mask.window)
    if mask.slopes is not None:
        bias = -mask.slopes.to(bias.dtype)[None, :, None, None] * distance.abs().to(bias.dtype)
    return bias.masked_fill_(hidden, -torch.inf)


def by_relative(q: Tensor, distance: Tensor, relative: Tensor) -> Tensor:
    """Each cell's q times the vector of its distance, [B, H, T, S], for distances [T, S] or any that expand to it."""
    products = q @ relative.to(q.dtype).T  # [B, H, T, R]: one per distance instead of one per cell
    return products.gather(-1, _nearest(distance, relative).expand(*q.shape[:3], -1))


def _by_relative_backward(grad: Tensor, q: Tensor, distance: Tensor, relative: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of q and relative from that of `by_relative`'s cells."""
    products = q.new_zeros(*q.shape[:3], len(relative))
    products.scatter_add_(-1, _nearest(distance, relative).expand(grad.shape), grad)
    return products @ relative.to(q.dtype), einsum(products, q, "b h t r, b h t d -> r d")


def _nearest(distance: Tensor, relative: Tensor) -> Tensor:
    """The row of `relative` for each distance, in either direction; the last one serves all beyond."""
    return distance.abs().clamp(max=len(relative) - 1).long()


def _sliding_bias(rows: slice, cols: slice, queries: int, keys: int, mask: AttentionMask, like: Tensor) -> Tensor:
    """The bias of rows in reverse order: each row is the one before moved by a cell, so all are views of one line."""
    height, width = rows.stop - rows.start, cols.stop - cols.start
    nearest = rows.stop - 1 + keys - queries - cols.start  # distance at the last row's first cell
    line = nearest - torch.arange(height + width - 1, dtype=torch.int32, device=like.device)[None]
    return _by_distance(line, mask, like)[:, :, 0].unfold(-1, width, 1)
