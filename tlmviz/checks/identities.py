"""The identities of any model: its maps, its mask, its cache, its taps and its parameters."""

from __future__ import annotations

from collections.abc import Callable

import torch

from .. import kernels
from ..networks.transformer import count_parameters
from ..trace import Trace
from .result import Check, worst


def rows_sum_to_one(lm, trace: Trace) -> Check:
    """Every row of every map is a probability distribution."""
    errors = []
    for q, k, lse, spec in trace.batches():
        for rows in _blocks(len(trace)):
            errors.append(
                worst(kernels.attention_map(q, k, lse, spec.mask, rows=rows, scale=spec.scale).sum(-1) - 1)
            )
    return Check("Rows sum to 1", "each row of each map sums to 1", worst(torch.tensor(errors)), 1e-4)


def future_is_hidden(lm, trace: Trace) -> Check:
    """Changing the last token moves no earlier logits."""
    changed = torch.tensor([trace.ids])
    changed[0, -1] = (changed[0, -1] + 1) % lm.config.vocab_size
    error = worst(lm(changed)[0, :-1] - trace.logits[:-1])
    return Check("No look ahead", "changing the last token moves no earlier output", error, 1e-4)


def lazy_map_is_softmax(lm, trace: Trace) -> Check:
    """The map recomputed from q, k and lse equals a float64 softmax of the masked scores."""
    errors = []
    rows = slice(max(0, len(trace) - 256), len(trace))  # the longest rows are the hardest
    index = torch.arange(len(trace))
    distance = index[rows, None] - index[None]
    for q, k, lse, spec in trace.batches():
        keys = k.repeat_interleave(q.shape[1] // k.shape[1], 1).double()
        scores = q[:, :, rows].double() @ keys.transpose(-1, -2) * spec.scale
        if spec.mask.slopes is not None:
            scores = scores - spec.mask.slopes.double()[:, None, None] * distance
        if spec.mask.relative is not None:
            vectors = spec.mask.relative.double()[distance.clamp(0, len(spec.mask.relative) - 1)]  # [R, S, D]
            scores = scores + torch.einsum("bhrd, rsd -> bhrs", q[:, :, rows].double(), vectors)
        hidden = distance < 0
        if spec.mask.window is not None:
            hidden = hidden | (distance >= spec.mask.window)
        exact = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        errors.append(worst(kernels.attention_map(q, k, lse, spec.mask, rows=rows, scale=spec.scale) - exact))
    # A float32 score of 50, which a sharp head reaches, is rounded by 2e-6, and a weight moves by as much; lse adds its own.
    return Check(
        "Map = softmax",
        "the map from q, k and lse equals a float64 softmax",
        worst(torch.tensor(errors)),
        3e-5,
    )


def cache_equals_full(lm, trace: Trace) -> Check:
    """Reading the text in three pieces through a cache gives the full pass's logits."""
    ids, cache = torch.tensor([trace.ids]), lm.new_cache()
    first, second = max(1, len(trace) // 2), max(1, len(trace) - 1)
    pieces = [piece for piece in (ids[:, :first], ids[:, first:second], ids[:, second:]) if piece.shape[1]]
    stepped = torch.cat([lm(piece, cache) for piece in pieces], 1)[0, : len(trace)]
    return Check(
        "Cache = full pass", "logits with a KV cache equal those without", worst(stepped - trace.logits), 1e-4
    )


def taps_change_nothing(lm, trace: Trace) -> Check:
    """A pass that records every tap gives the logits of a plain one."""
    plain = lm(torch.tensor([trace.ids]))[0]
    watched = lm.trace_ids(trace.ids, keep=lambda name: True).logits
    return Check("Taps are neutral", "recording does not change the output", worst(plain - watched), 0.0)


def parameters_match_formula(lm, trace: Trace | None = None) -> Check:
    """Parameters counted by formula equal those in the network (002 section 8)."""
    error = abs(count_parameters(lm.config) - lm.n_parameters)
    return Check(
        "Parameter formula", f"{lm.n_parameters:,} parameters, as the formula says", error, 0.0, "difference"
    )


CHECKS: tuple[Callable[..., Check], ...] = (
    rows_sum_to_one,
    future_is_hidden,
    lazy_map_is_softmax,
    cache_equals_full,
    taps_change_nothing,
    parameters_match_formula,
)


# Those that read the trace alone: fast enough for every keystroke.
QUICK_CHECKS = (rows_sum_to_one, lazy_map_is_softmax, parameters_match_formula)


def _blocks(length: int, rows: int = 256):
    return (slice(start, min(start + rows, length)) for start in range(0, length, rows))
