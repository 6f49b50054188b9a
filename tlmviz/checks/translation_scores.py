"""The identities behind recurrent attention: each score from its formula, the softmax, the mixture, and SDPA beside
them."""

from __future__ import annotations

import numpy as np
import torch

from tlmviz.analysis.translation.score_steps import Steps, as_attention

from ..networks.seq2seq import Seq2Seq
from ..protocols import TranslatorLike
from .registry import identity
from .result import worst
from .translation_cases import has_product_score, is_recurrent, scored


@identity("Steps sum to 1", "every step spreads a weight of 1", 1e-5, when=is_recurrent, inputs=scored)
def rows_sum_to_one(mt: TranslatorLike, steps: Steps) -> float:
    """sum_j a_ij = 1 at every step (Eq. 43)."""
    return _worst(steps.a.sum(-1) - 1)


@identity(
    "Score = formula", "scores from h, z and the matrices alone", 1e-5, "relative", when=is_recurrent, inputs=scored
)
def scores_by_formula(mt: TranslatorLike, steps: Steps) -> float:
    """Scores from the states and the score's own matrices in float64 NumPy (Eq. 42, 46, 47)."""
    network: Seq2Seq = mt.on_cpu.network
    score = network.config.score
    weight = {name: value.double().numpy() for name, value in network.score.state_dict().items()}
    z, h = steps.z.astype(np.float64), steps.h.astype(np.float64)
    if score.kind == "dot":
        expected = h @ z.T
    elif score.kind == "general":
        expected = h @ weight["w.weight"] @ z.T
    else:
        inside = (h @ weight["w1.weight"].T)[:, None] + z @ weight["w2.weight"].T + weight["w2.bias"]  # [T, S, E]
        if score.coverage:
            covered = np.cumsum(steps.a, 0, dtype=np.float64) - steps.a
            inside = inside + covered[..., None] * weight["w.weight"][:, 0]
        expected = np.tanh(inside) @ weight["v.weight"][0]
    size = max(1.0, float(np.abs(expected).max(initial=0)))
    return _worst(steps.scores - expected) / size


@identity("a = softmax", "weights are the softmax of the scores", 1e-5, when=is_recurrent, inputs=scored)
def softmax_of_scores(mt: TranslatorLike, steps: Steps) -> float:
    """a_i = softmax(scores_i), in float64 NumPy (Eq. 42)."""
    scores = steps.scores.astype(np.float64)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return _worst(steps.a - powers / powers.sum(-1, keepdims=True))


@identity("c = Σ a z", "the shares of all source states add up to the context", 1e-5, when=is_recurrent, inputs=scored)
def context_is_the_mixture(mt: TranslatorLike, steps: Steps) -> float:
    """c_i = sum_j a_ij z_j, from shares added one by one (Eq. 44)."""
    expected = np.stack([steps.shares(t).sum(0, dtype=np.float64) for t in range(len(steps.a))])
    return _worst(steps.context - expected)


@identity(
    "SDPA = seq2seq",
    "q = h, k = z, v = z and scale 1 give the same weights and the same c",
    1e-4,
    when=has_product_score,
    inputs=scored,
)
def sdpa_is_the_same(mt: TranslatorLike, steps: Steps) -> float:
    """kernels.attention with q = h, k = z (or W z), v = z and scale 1 gives the model's own c (000 Eq. 5-6)."""
    mixture, a = as_attention(steps)
    return max(_worst(mixture - steps.context), _worst(a - steps.a))


def _worst(errors: np.ndarray) -> float:
    return worst(torch.from_numpy(np.asarray(errors, np.float64)))
