"""The lightning indexer in torch. Arguments are checked by the public functions."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

TILE_ROWS = 256  # queries scored at once


def index_scores(q: Tensor, k: Tensor, w: Tensor, *, causal: bool) -> Tensor:
    """See `kernels.index_scores`."""
    working = torch.promote_types(q.dtype, torch.float32)
    q, k, w = q.to(working), k.to(working), w.to(working)
    queries, keys = q.shape[2], k.shape[1]
    training = torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or w.requires_grad)
    strips = []
    for start in range(0, max(1, queries), TILE_ROWS):  # no queries are one empty strip
        stop = min(start + TILE_ROWS, queries)
        offset = start + keys - queries  # of the strip's first query among the keys
        seen = min(max(stop + keys - queries, 0), keys) if causal else keys
        inputs = q[:, :, start:stop], k[:, :seen], w[:, start:stop]
        # Autograd would keep every head's scores, [H, T, S]; a checkpoint makes them again.
        strip = checkpoint(_strip, *inputs, use_reentrant=False) if training else _strip(*inputs)
        if causal:
            row = torch.arange(offset, offset + stop - start, device=q.device)
            strip = strip.masked_fill(torch.arange(seen, device=q.device) > row[:, None], -torch.inf)
        strips.append(F.pad(strip, (0, keys - seen), value=-torch.inf))
    return torch.cat(strips, 1)


def top_k(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """See `kernels.top_k`."""
    mask = _chosen(scores, k)
    best = scores.masked_fill(~mask, -torch.inf).topk(k, -1).indices
    best = best.sort(-1, descending=True).values  # by position, so that a stable sort leaves equal scores latest first
    values = scores.gather(-1, best)
    order = values.argsort(dim=-1, descending=True, stable=True)
    hidden = values.gather(-1, order) == -torch.inf
    return best.gather(-1, order).masked_fill(hidden, -1), mask


def _chosen(scores: Tensor, k: int) -> Tensor:
    """The k best cells of each row [B, T, S], the latest of those that equal the k-th."""
    least = scores.topk(k, -1).values[..., -1:]
    better = scores > least
    mask = (scores >= least) & (scores > -torch.inf)
    spare = k - better.sum(-1, dtype=torch.int32)  # places for cells that equal the k-th
    crowded = mask.sum(-1, dtype=torch.int32) > k
    if crowded.any():  # only these rows: a running count of all cells takes four times their memory
        equal = (mask & ~better)[crowded]  # [R, S]
        later = equal.flip(-1).cumsum(-1, dtype=torch.int32).flip(-1)  # equal cells from here on
        mask[crowded] = better[crowded] | (equal & (later <= spare[crowded][:, None]))
    return mask


def _strip(q: Tensor, k: Tensor, w: Tensor) -> Tensor:
    """Scores of some queries [B, H, R, D] on some keys, head by head: [B, R, S]."""
    scores = q.new_zeros(q.shape[0], q.shape[2], k.shape[1])
    for head in range(q.shape[1]):
        products = q[:, head] @ k.transpose(-1, -2)  # [B, R, S]
        scores.addcmul_(products.relu_(), w[:, :, head, None])
    return scores
