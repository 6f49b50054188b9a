"""Identities of one row's softmax in one, two and three passes over its logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from tlmviz.analysis.kernels.online_softmax import LONGEST, Walk, walk_all

from .. import kernels
from .cases import is_language_model, reading
from .registry import identity, once
from .result import largest

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

Walks = tuple[Walk, ...]


def walked(lm: LanguageModel, text: str) -> tuple[Walks]:
    """(walks,): every algorithm on the last query of the first head, with the last of the keys it sees. Raises
    BadText."""
    _, trace = once(reading, lm, text)
    q, k, _ = trace.qk(0, 0)
    spec, last = trace.specs[0], slice(len(trace) - 1, len(trace))
    mask = spec.mask.of_heads(slice(0, 1))
    scores = kernels.attention_scores(q[None, None], k[None, None], mask, rows=last, scale=spec.scale)[0, 0, 0]
    visible = torch.isfinite(scores).nonzero().flatten()[-LONGEST:]
    return (walk_all(scores[visible].numpy(), trace["blocks.0.attn.v"][0, 0, visible].numpy()),)


@identity("Online = softmax", "two passes give the float64 softmax", 1e-5, when=is_language_model, inputs=walked)
def online_is_softmax(walks: Walks) -> float:
    """Safe and online softmax against float64 (000 section 4)."""
    _, safe, online, _, _ = walks
    return largest([safe.error, online.error])


@identity(
    "One pass = softmax · V",
    "one pass gives the float64 output",
    1e-5,
    "relative max abs",
    when=is_language_model,
    inputs=walked,
)
def one_pass_is_attention(walks: Walks) -> float:
    """The online softmax with and without a separate sum of values against float64, as a share of the largest output
    above 1."""
    _, _, _, attention, fused = walks
    return largest([attention.error, fused.error]) / max(1.0, float(np.abs(attention.out).max()))


@identity(
    "Naive = online here", "without overflow the naive softmax agrees", 1e-5, when=is_language_model, inputs=walked
)
def naive_is_online(walks: Walks) -> float:
    """The naive softmax against the online one; 0 where the naive one overflows, of which nothing is claimed."""
    plain, _, online, _, _ = walks
    return float(np.abs(plain.out.astype(np.float64) - online.out).max()) if plain.finite else 0.0
