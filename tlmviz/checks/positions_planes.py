"""Identities of RoPE on single queries and keys: one pair, one rotation, one other layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from tlmviz.analysis.positions import rope_planes
from tlmviz.analysis.positions.rope_planes import Clocks
from tlmviz.analysis.positions.rope_runs import variants

from .. import kernels
from ..tracing.trace import Trace
from .cases import has_planes, reading
from .registry import identity, once
from .result import worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def unrotated(trace: Trace, part: str, base: float) -> Tensor:
    """q or k of the first layer's first head as before RoPE, [T, D]."""
    x = trace[f"blocks.0.attn.{part}"][0, 0]
    return kernels.rope(x, -torch.arange(len(x)), base)


def pair(lm: LanguageModel, text: str) -> tuple[Clocks, float]:
    """(clocks, score): the last query and the middle key of the first head, and the model's own score. Raises
    BadText."""
    (_, trace), base = once(reading, lm, text), rope_planes.own_base(lm.config)
    where, scale = (len(trace) - 1, len(trace) // 2), trace.specs[0].scale
    q, k = (unrotated(trace, part, base)[at] for part, at in zip(("q", "k"), where))
    q_rotated, k_rotated, _ = trace.qk(0, 0)
    score = float(q_rotated[where[0]] @ k_rotated[where[1]]) * scale
    return rope_planes.clocks(q, k, where, base, scale=scale), score


def queries(lm: LanguageModel, text: str) -> tuple[Tensor, float, str]:
    """(q, base, layout): the first head's queries before RoPE. Raises BadText."""
    base = rope_planes.own_base(lm.config)
    return unrotated(once(reading, lm, text)[1], "q", base), base, "interleaved"


def layouts(lm: LanguageModel, text: str) -> tuple[Trace, Trace]:
    """(own, reordered): the model's own pass, and one with half-split RoPE on reordered rows. Raises BadText."""
    reordered = variants(lm, rope_planes.own_base(lm.config))["permuted"]
    return once(reading, lm, text)[1], lm.trace(text, positions=reordered)


@identity("This pair", "the planes' sum equals the model's own score", 1e-4, when=has_planes, inputs=pair, quick=True)
def planes_are_the_score(clocks: Clocks, score: float) -> float:
    """The planes of one query and key at their true positions against the model's score (003 section 3)."""
    return abs(float(clocks.scores[clocks.home]) - score)


@identity(
    "Steps = kernel", "step by step equals the kernel's rotation", 1e-6, when=has_planes, inputs=queries, quick=True
)
def steps_are_the_kernel(q: Tensor, base: float, layout: str) -> float:
    """The rotation of q [T, D] through angle table, pairs and products against the kernel."""
    again = torch.from_numpy(rope_planes.rotation(q, base, layout).out)
    return worst(again - kernels.rope(q, torch.arange(len(q)), base, layout))


@identity(
    "Reordered = right",
    "half-split with reordered rows gives the model's own logits",
    1e-3,
    when=has_planes,
    inputs=layouts,
)
def reordered_rows_are_right(own: Trace, reordered: Trace) -> float:
    """The half-split layout on reordered rows of W_Q and W_K gives the interleaved model's logits."""
    return worst(reordered.logits - own.logits)
