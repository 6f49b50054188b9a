"""The identities of any model: its maps, its mask, its cache, its taps and its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import torch

from .. import kernels
from ..analysis.attention.roles import role_shares
from ..networks.transformer import count_parameters
from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity
from .result import OF_LARGEST, ROUNDING, Measured, beside_largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


@identity("Rows sum to 1", "each row of each map sums to 1", 1e-4, when=is_language_model, inputs=reading, quick=True)
def rows_sum_to_one(lm: LanguageModel, trace: Trace) -> float:
    """Every row of every map is a probability distribution."""
    errors = []
    for q, k, lse, spec in trace.batches():
        for rows in _blocks(len(trace)):
            errors.append(worst(kernels.attention_map(q, k, lse, spec.mask, rows=rows, scale=spec.scale).sum(-1) - 1))
    return worst(torch.tensor(errors))


@identity(
    "Roles share everything", "shares of attention by role sum to 1", 1e-4, when=is_language_model, inputs=reading
)
def role_shares_sum_to_one(lm: LanguageModel, trace: Trace, roles: Sequence[str] | None = None) -> float:
    """What all roles and the first token get is all there is; on a text without roles, its two halves are two."""
    half = len(trace) // 2
    given = roles or ["user"] * half + ["assistant"] * (len(trace) - half)
    return worst(role_shares(trace, given).shares.sum(-1) - 1)


@identity(
    "No look ahead", "changing the last token moves no earlier output", 1e-4, when=is_language_model, inputs=reading
)
def future_is_hidden(lm: LanguageModel, trace: Trace) -> float:
    """Changing the last token moves no earlier logits."""
    changed = torch.tensor([trace.ids])
    changed[0, -1] = (changed[0, -1] + 1) % lm.config.vocab_size
    return worst(lm(changed)[0, :-1] - trace.logits[:-1])


@identity(
    "Map = softmax",
    "the map from q, k and lse equals a float64 softmax",
    3e-5,
    when=is_language_model,
    inputs=reading,
    quick=True,
)
def lazy_map_is_softmax(lm: LanguageModel, trace: Trace) -> float:
    """The map recomputed from q, k and lse equals a float64 softmax of the masked scores."""
    errors = []
    rows = slice(max(0, len(trace) - 256), len(trace))  # the longest rows are the hardest
    index = torch.arange(len(trace))
    distance = index[rows, None] - index[None]
    for q, k, lse, spec in trace.batches():
        keys = k.repeat_interleave(q.shape[1] // k.shape[1], 1).double()
        scores = q[:, :, rows].double() @ keys.transpose(-1, -2) * spec.scale
        if spec.mask.softcap is not None:
            scores = spec.mask.softcap * (scores / spec.mask.softcap).tanh()
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
    # A float32 score of 50, which a sharp head reaches, is rounded by 2e-6, and a weight moves by as much; lse adds its
    # own.
    return worst(torch.tensor(errors))


@identity(
    "Cache = full pass",
    "logits with a KV cache equal those without",
    ROUNDING,
    OF_LARGEST,
    when=is_language_model,
    inputs=reading,
)
def cache_equals_full(lm: LanguageModel, trace: Trace) -> float:
    """Reading the text in three pieces through a cache gives the full pass's logits."""
    ids, cache = torch.tensor([trace.ids]), lm.new_cache()
    first, second = max(1, len(trace) // 2), max(1, len(trace) - 1)
    pieces = [piece for piece in (ids[:, :first], ids[:, first:second], ids[:, second:]) if piece.shape[1]]
    stepped = torch.cat([lm(piece, cache) for piece in pieces], 1)[0, : len(trace)]
    return beside_largest(stepped, trace.logits)


@identity("Taps are neutral", "recording does not change the output", 0.0, when=is_language_model, inputs=reading)
def taps_change_nothing(lm: LanguageModel, trace: Trace) -> float:
    """A pass that records every tap gives the logits of a plain one."""
    plain = lm(torch.tensor([trace.ids]))[0]
    watched = lm.trace_ids(trace.ids, keep=lambda name: True).logits
    return worst(plain - watched)


@identity(
    "Parameter formula",
    "as many parameters as the formula says",
    0.0,
    "difference",
    when=is_language_model,
    inputs=reading,
    quick=True,
)
def parameters_match_formula(lm: LanguageModel, trace: Trace | None = None) -> Measured:
    """Parameters counted by formula equal those in the network."""
    return Measured(float(abs(count_parameters(lm.config) - lm.n_parameters)), f"{lm.n_parameters:,}")


def _blocks(length: int, rows: int = 256) -> Iterator[slice]:
    return (slice(start, min(start + rows, length)) for start in range(0, length, rows))
