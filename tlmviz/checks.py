"""The identities tlmviz rests on, each stated once: a function that measures an error against a tolerance.

A page shows them as badges on what the user typed, the tests assert them, and
`python -m tlmviz check <model>` runs them all on any checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from .networks.transformer import count_parameters
from .trace import Trace


@dataclass(frozen=True)
class Check:
    """One identity, measured: `error` and `tolerance` share `unit`; `claim` is what holds when it passes."""

    name: str
    claim: str
    error: float
    tolerance: float
    unit: str = "max abs"

    @property
    def passed(self) -> bool:
        """Whether the error is within the tolerance; NaN is not."""
        return self.error <= self.tolerance


def rows_sum_to_one(lm, trace: Trace) -> Check:
    """Every row of every map is a probability distribution."""
    error = 0.0
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            for rows in _blocks(len(trace)):
                tile = trace.attention(layer, head, rows=rows)
                error = max(error, (tile.sum(-1) - 1).abs().max().item())
    return Check("Rows sum to 1", "each row of each map sums to 1", error, 1e-4)


def future_is_hidden(lm, trace: Trace) -> Check:
    """Changing the last token moves no earlier logits."""
    if len(trace) < 2:
        return Check("No look ahead", "changing the last token moves no earlier output", 0.0, 1e-4)
    ids = torch.tensor([trace.ids])
    changed = ids.clone()
    changed[0, -1] = (ids[0, -1] + 1) % lm.config.vocab_size
    error = (lm(ids)[0, :-1] - lm(changed)[0, :-1]).abs().max().item()
    return Check("No look ahead", "changing the last token moves no earlier output", error, 1e-4)


def lazy_map_is_softmax(lm, trace: Trace) -> Check:
    """The map recomputed from q, k and lse equals a float64 softmax of the masked scores."""
    error = 0.0
    for layer in range(trace.n_layers):
        spec = trace.specs[layer]
        for head in range(trace.n_heads):
            q, k, _ = (part.double() for part in trace.qk(layer, head))
            rows = slice(max(0, len(trace) - 256), len(trace))  # the longest rows are the hardest
            index = torch.arange(len(trace))
            distance = index[rows, None] - index[None]
            scores = q[rows] @ k.T * spec.scale
            if spec.slopes is not None:
                scores = scores - spec.slopes[head].double() * distance
            hidden = distance < 0
            if spec.window is not None:
                hidden = hidden | (distance >= spec.window)
            exact = scores.masked_fill(hidden, -torch.inf).softmax(-1)
            error = max(error, (trace.attention(layer, head, rows=rows) - exact).abs().max().item())
    return Check("Map = softmax", "the map from q, k and lse equals a float64 softmax", error, 1e-5)


def cache_equals_full(lm, trace: Trace) -> Check:
    """Reading the text in three pieces through a cache gives the full pass's logits."""
    ids = torch.tensor([trace.ids])
    cache = lm.new_cache()
    first, second = max(1, len(trace) // 2), max(1, len(trace) - 1)
    pieces = [piece for piece in (ids[:, :first], ids[:, first:second], ids[:, second:]) if piece.shape[1]]
    stepped = torch.cat([lm(piece, cache) for piece in pieces], 1)
    error = (stepped[0, : len(trace)] - lm(ids)[0]).abs().max().item()
    return Check("Cache = full pass", "logits with a KV cache equal those without", error, 1e-4)


def taps_change_nothing(lm, trace: Trace) -> Check:
    """Recording every tap leaves the logits as they are."""
    plain = lm(torch.tensor([trace.ids]))[0]
    watched = lm.trace_ids(trace.ids, keep=lambda name: True).logits
    return Check("Taps are neutral", "recording does not change the output", (plain - watched).abs().max().item(), 0.0)


def parameters_match_formula(lm, trace: Trace | None = None) -> Check:
    """Parameters counted by formula equal those in the network (002 section 8)."""
    error = abs(count_parameters(lm.config) - lm.n_parameters)
    return Check("Parameter formula", f"{lm.n_parameters:,} parameters, as the formula says", error, 0.0, "difference")


CHECKS: tuple[Callable[..., Check], ...] = (
    rows_sum_to_one,
    future_is_hidden,
    lazy_map_is_softmax,
    cache_equals_full,
    taps_change_nothing,
    parameters_match_formula,
)


def run_all(lm, text: str) -> list[Check]:
    """Every check on one text."""
    trace = lm.trace(text)
    return [check(lm, trace) for check in CHECKS]


def _blocks(length: int, rows: int = 256):
    return (slice(start, min(start + rows, length)) for start in range(0, length, rows))
