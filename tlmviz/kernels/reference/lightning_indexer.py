"""The lightning indexer in torch. Arguments are checked by the public functions."""

from __future__ import annotations

import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

TILE_ROWS = 256  # queries scored at once


def index_scores(q, k, w, *, causal):
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


def top_k(scores, k):
    """See `kernels.top_k`."""
    best = scores.topk(k, -1)
    real = best.values > -torch.inf
    mask = torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, best.indices, real)
    return best.indices.masked_fill(~real, -1), mask


def _strip(q, k, w):
    """Scores of some queries [B, H, R, D] on some keys, head by head: [B, R, S]."""
    scores = q.new_zeros(q.shape[0], q.shape[2], k.shape[1])
    for head in range(q.shape[1]):
        products = q[:, head] @ k.transpose(-1, -2)  # [B, R, S]
        scores.addcmul_(products.relu_(), w[:, :, head, None])
    return scores
