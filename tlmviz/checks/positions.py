"""The identities of rotary positions, in the manner of `identities`: each measures an error on a trace of a model with
RoPE."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from tlmviz.analysis.positions.rope_planes import frequencies, own_base

from .. import kernels
from ..kernels.rotary import half_order
from ..tracing.trace import Trace
from .cases import has_planes, reading
from .registry import identity
from .result import largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

READ = 64  # tokens of the text that a check looks at: its first
SHIFT = 1000  # tokens by which a pair is moved


@identity(
    "Distance alone", f"moving query and key by {SHIFT:,} tokens moves no score", 1e-4, when=has_planes, inputs=reading
)
def only_distance_counts(lm: LanguageModel, trace: Trace) -> float:
    """Moving every query and key by the same number of tokens moves no score (003 section 3.1)."""
    base, errors = own_base(lm.config), []
    for q, k, scale, where in _vectors(trace):
        moved_q, moved_k = (kernels.rope(_back(x, where, base), where + SHIFT, base) for x in (q, k))
        errors.append(worst(_scores(moved_q, moved_k, scale) - _scores(q, k, scale)))
    # A float32 score of 50, which a sharp head reaches, is rounded by 2e-6 in each of its products.
    return largest(errors)


@identity(
    "Norms stay",
    "turning keeps each vector's length in each plane",
    1e-5,
    "relative max abs",
    when=has_planes,
    inputs=reading,
)
def rotation_keeps_norms(lm: LanguageModel, trace: Trace) -> float:
    """Turning keeps the length of each query and key in each plane."""
    base, errors = own_base(lm.config), []
    for q, k, _, where in _vectors(trace):
        for x in (q, k):
            before, after = (part.unflatten(-1, (-1, 2)).norm(dim=-1) for part in (_back(x, where, base), x))
            errors.append(worst((after - before) / before.amax().clamp(min=1e-30)))
    return largest(errors)


@identity(
    "Layouts = order",
    "half-split equals interleaved after reordering dimensions",
    1e-6,
    when=has_planes,
    inputs=reading,
)
def layouts_differ_by_order(lm: LanguageModel, trace: Trace) -> float:
    """Half-split rotation of reordered dimensions equals the interleaved one, reordered."""
    base, errors = own_base(lm.config), []
    for q, k, _, where in _vectors(trace):
        order = half_order(q.shape[-1])
        for x in (q, k):
            plain = _back(x, where, base)
            half = kernels.rope(plain[..., order], where, base, layout="half")
            errors.append(worst(half - kernels.rope(plain, where, base)[..., order]))
    return largest(errors)


@identity(
    "Planes = score",
    "q · k / √d of each plane, summed, is the model's own score",
    1e-4,
    when=has_planes,
    inputs=reading,
)
def planes_sum_to_score(lm: LanguageModel, trace: Trace) -> float:
    """|q_j| |k_j| cos(angle between them), summed over the planes, is the model's own score at the true positions.

    q and k are the projections before RoPE, and the angle is theirs plus distance times frequency: this tests the
    formula, base and layout included, against what the model did.
    """
    base, errors = own_base(lm.config), []
    heads, groups, dim = lm.config.n_heads, lm.config.n_kv_heads, lm.config.head_dim
    plain = lm.trace_ids(trace.ids[:READ], keep=lambda name: name.endswith("attn.fused"))
    for layer, (q, k, scale, where) in enumerate(_vectors(trace)):
        fused = plain[f"blocks.{layer}.attn.fused"][0].double().unflatten(-1, (-1, dim // 2, 2)).transpose(0, 1)
        # [H or G, T, P].
        one, other = torch.view_as_complex(fused.contiguous())[: heads + groups].split((heads, groups))
        other = other.repeat_interleave(heads // groups, 0)
        frequency = torch.from_numpy(frequencies(dim, base))
        turned = (where[:, None] - where)[..., None] * frequency  # [T, S, P]
        shown = kernels.attention_scores(q[None], k[None], causal=False, scale=scale)[0]
        for q_j, k_j, score in zip(one, other, shown):
            parts = q_j.abs()[:, None] * k_j.abs() * (q_j.angle()[:, None] - k_j.angle() + turned).cos()
            errors.append(worst(parts.sum(-1) * scale - score))
    return largest(errors)


def _vectors(trace: Trace) -> Iterator[tuple[Tensor, Tensor, float, Tensor]]:
    """q [H, T, D] and k [G, T, D] of each layer as rotated by the model, the scale, and positions [T]."""
    where = torch.arange(min(READ, len(trace)))
    for layer, spec in enumerate(trace.specs):
        q, k = (trace[f"blocks.{layer}.attn.{part}"][0, :, : len(where)] for part in ("q", "k"))
        yield q, k, spec.scale, where


def _back(x: Tensor, where: Tensor, base: float) -> Tensor:
    return kernels.rope(x, -where, base)


def _scores(q: Tensor, k: Tensor, scale: float) -> Tensor:
    return q @ k.repeat_interleave(len(q) // len(k), 0).transpose(-1, -2) * scale
