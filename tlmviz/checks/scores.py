"""The identities behind recurrent attention: each score from its formula, the softmax, the mixture, and SDPA beside them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from tlmviz.analysis.translation.score_steps import Steps, as_attention

from .result import Check, worst


def rows_sum_to_one(mt, steps: Steps) -> Check:
    """sum_j a_ij = 1 at every step (Eq. 43)."""
    return Check("Rows sum to 1", "every step spreads a weight of 1", _worst(steps.a.sum(-1) - 1), 1e-5)


def scores_by_formula(mt, steps: Steps) -> Check:
    """Scores from the states and the score's own matrices in float64 NumPy (Eq. 42, 46, 47)."""
    weight = {name: value.double().numpy() for name, value in mt.network.score.state_dict().items()}
    z, h = steps.z.astype(np.float64), steps.h.astype(np.float64)
    if mt.config.score.kind == "dot":
        expected = h @ z.T
    elif mt.config.score.kind == "general":
        expected = h @ weight["w.weight"] @ z.T
    else:
        inside = (
            (h @ weight["w1.weight"].T)[:, None] + z @ weight["w2.weight"].T + weight["w2.bias"]
        )  # [T, S, E]
        if mt.config.score.coverage:
            covered = np.cumsum(steps.a, 0, dtype=np.float64) - steps.a
            inside = inside + covered[..., None] * weight["w.weight"][:, 0]
        expected = np.tanh(inside) @ weight["v.weight"][0]
    size = max(1.0, float(np.abs(expected).max(initial=0)))
    error = _worst(steps.scores - expected) / size
    return Check("Score = formula", "scores from h, z and the matrices alone", error, 1e-5, "relative")


def softmax_of_scores(mt, steps: Steps) -> Check:
    """a_i = softmax(scores_i), in float64 NumPy (Eq. 42)."""
    scores = steps.scores.astype(np.float64)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    error = _worst(steps.a - powers / powers.sum(-1, keepdims=True))
    return Check("a = softmax", "weights are the softmax of the scores", error, 1e-5)


def context_is_the_mixture(mt, steps: Steps) -> Check:
    """c_i = sum_j a_ij z_j, from shares added one by one (Eq. 44)."""
    expected = np.stack([steps.shares(t).sum(0, dtype=np.float64) for t in range(len(steps.a))])
    return Check(
        "c = Σ a z",
        "the shares of all source states add up to the context",
        _worst(steps.context - expected),
        1e-5,
    )


def sdpa_is_the_same(mt, steps: Steps) -> Check:
    """kernels.attention with q = h, k = z (or W z), v = z and scale 1 gives the model's own c (000 Eq. 5-6)."""
    mixture, a = as_attention(steps)
    error = max(_worst(mixture - steps.context), _worst(a - steps.a))
    return Check(
        "SDPA = seq2seq", "q = h, k = z, v = z and scale 1 give the same weights and the same c", error, 1e-4
    )


CHECKS_SCORES: tuple[Callable[..., Check], ...] = (
    rows_sum_to_one,
    scores_by_formula,
    softmax_of_scores,
    context_is_the_mixture,
)


def run(mt, steps: Steps) -> list[Check]:
    """All identities of one pass; the last one where the score is a product."""
    which = (*CHECKS_SCORES, sdpa_is_the_same) if steps.product else CHECKS_SCORES
    return [check(mt, steps) for check in which]


def _worst(errors: np.ndarray) -> float:
    return worst(torch.from_numpy(np.asarray(errors, np.float64)))
