"""The identities behind a word's parts: their shares, of words never seen too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tlmviz.analysis.words import shares

from .registry import identity
from .words import has_parts, reading

if TYPE_CHECKING:
    from ..facades.word_vectors import WordVectors


@identity(
    "Shares sum to 1",
    "what the parts of each word add to its vector sums to the vector",
    1e-4,
    when=has_parts,
    inputs=reading,
)
def shares_sum_to_one(wv: WordVectors, words: list[str]) -> float:
    """sum_g share_g = 1, and sum_g p_g / N is the vector that `wv.vector` gives (004 Eq. 17, as a mean)."""
    errors = [0.0]
    for word in words:
        parts = torch.stack([part.vector for part in wv.parts(word)]).double()
        vector = wv.vector(word).double()
        errors.append(abs(float(shares.shares(parts).sum()) - 1))
        errors.append(float((parts.mean(0) - vector).norm() / vector.norm().clamp(min=1e-30)))
    return max(errors)
