"""One step of every method: losses and their gradients, written out. Training and pages use these, tests compare
autograd.

Each function takes a batch of B centers and returns loss [B] in nats and the gradients of the loss; a step of gradient
descent subtracts rate times gradient. The notes climb log-likelihoods instead, so their signs are turned.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor


class Gradients(NamedTuple):
    """The loss of each center, and the loss's gradients for the center's vector and for the vectors it is compared
    with."""

    loss: Tensor
    center: Tensor
    context: Tensor


def softmax(v: Float[Tensor, "b c"], u: Float[Tensor, "v c"]) -> Float[Tensor, "b v"]:
    """Pr(o | c) of every word, [B, V] (004 Eq. 3-4)."""
    return (v @ u.T).softmax(-1)


def softmax_gradients(v: Float[Tensor, "b c"], u: Float[Tensor, "v c"], seen: Float[Tensor, "b v"]) -> Gradients:
    """Skip-gram with the full softmax. `seen` [B, V] counts which words stood around each center: one-hot for one pair.

    loss = -sum_o seen_o log Pr(o | c). Of one pair: d/dv = E[u] - u_o, which the notes' u_o - E[u] (004 Eq. 12) is with
    the sign of log Pr, and d/du_w = (Pr(w | c) - [w = o]) v. `context` is [V, C].
    """
    scores = v @ u.T  # [B, V]
    log_p = scores - scores.logsumexp(-1, keepdim=True)
    loss = -(seen * log_p).sum(-1)
    error = log_p.exp_() * seen.sum(-1, keepdim=True) - seen
    return Gradients(loss, error @ u, error.T @ v)


def logistic_gradients(v: Float[Tensor, "b c"], u: Float[Tensor, "b j c"], signs: Float[Tensor, "b j"]) -> Gradients:
    """J decisions for each center: loss = -sum_j log sigma(sign_j u_j·v). A sign of 0 leaves a decision out.

    Negative sampling (004 Eq. 13-16): +1 for the word that was there, -1 for words drawn from the noise distribution.
    Hierarchical softmax (004 Eq. 24): u are the nodes on a word's path, +1 where it turns left, -1 right.
    d/dv = -sum_j sign_j sigma(-sign_j u_j·v) u_j; `context` is [B, J, C].
    """
    signed = signs * torch.bmm(u, v[:, :, None])[:, :, 0]  # [B, J]
    there = signs.abs()
    loss = -(torch.nn.functional.logsigmoid(signed) * there).sum(-1)
    error = -signs * torch.sigmoid(-signed)
    return Gradients(loss, torch.bmm(error[:, None], u)[:, 0], error[:, :, None] * v[:, None])


def mean_of(
    parts: Float[Tensor, "n c"], members: Int[Tensor, "b m"], there: Float[Tensor, "b m"]
) -> Float[Tensor, "b c"]:
    """The mean of some rows for each of B: CBOW's context words, FastText's n-grams. `there` is 0 where a row is no
    member.

    Rows without members are 0. The gradient of each member is that of the mean times its `share`.
    """
    flat = parts.index_select(0, members.reshape(-1)).view(*members.shape, -1)
    return torch.bmm(share(there)[:, None], flat)[:, 0]


def share(there: Float[Tensor, "b m"]) -> Float[Tensor, "b m"]:
    """d mean / d member: 1 / n for each of n members, 0 for those that are none."""
    return there / there.sum(-1, keepdim=True).clamp(min=1)


def glove_weight(x: Float[Tensor, " ..."], x_max: float = 100.0, alpha: float = 0.75) -> Float[Tensor, " ..."]:
    """f(x) = min(1, (x / x_max)^alpha), and so f(0) = 0 (004 Eq. 21; Pennington et al. 2014 Eq. 9)."""
    return (x / x_max).clamp(max=1) ** alpha


class GloveGradients(NamedTuple):
    """The loss of each cell, and the gradients for both vectors [B, C] and both biases [B]."""

    loss: Tensor
    row: Tensor
    column: Tensor
    row_bias: Tensor
    column_bias: Tensor


def glove_gradients(
    w: Float[Tensor, "b c"],
    w_tilde: Float[Tensor, "b c"],
    b: Float[Tensor, " b"],
    b_tilde: Float[Tensor, " b"],
    x: Float[Tensor, " b"],
    x_max: float = 100.0,
    alpha: float = 0.75,
) -> GloveGradients:
    """B cells of the co-occurrence matrix, x > 0: loss = f(x) (w·w~ + b + b~ - log x)^2 / 2.

    Pennington et al. 2014 Eq. 8 with the notes' 1/2; 004 Eq. 19 leaves the biases out.
    """
    f = glove_weight(x, x_max, alpha)
    gap = (w * w_tilde).sum(-1) + b + b_tilde - x.log()
    error = f * gap
    return GloveGradients(0.5 * f * gap**2, error[:, None] * w_tilde, error[:, None] * w, error, error)
