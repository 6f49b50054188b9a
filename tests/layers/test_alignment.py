"""The three scores between decoder and encoder states, cell by cell in NumPy (004 Eq. 42-47)."""

import numpy as np
import pytest
import torch

from tlmviz.layers.alignment import SCORES, weights

B, S, D = 3, 5, 6
GENERATOR = torch.Generator().manual_seed(2)
H, Z = torch.randn(B, D, generator=GENERATOR), torch.randn(B, S, D, generator=GENERATOR)
COVERED = torch.rand(B, S, generator=GENERATOR)


def numbers(parameter):
    return parameter.detach().double().numpy()


def cell(score, kind, h, z, covered):
    if kind == "dot":
        return h @ z
    if kind == "general":
        return h @ numbers(score.w.weight) @ z
    inside = numbers(score.w1.weight) @ h + numbers(score.w2.weight) @ z + numbers(score.w2.bias)
    if score.w is not None:
        inside = inside + numbers(score.w.weight)[:, 0] * covered
    return numbers(score.v.weight)[0] @ np.tanh(inside)


@pytest.mark.parametrize(
    "kind, coverage", [("dot", False), ("general", False), ("additive", False), ("additive", True)]
)
def test_scores_are_their_formulas(kind, coverage):
    score = SCORES[kind](D, coverage)
    with torch.no_grad():
        found = score(H, score.prepare(Z), COVERED if coverage else None)
    wanted = [
        [cell(score, kind, H[b].double().numpy(), Z[b, s].double().numpy(), COVERED[b, s].item()) for s in range(S)]
        for b in range(B)
    ]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize("kind", SCORES)
def test_one_source_serves_all_rows(kind):
    score = SCORES[kind](D, False)
    keys = score.prepare(Z[:1])
    torch.testing.assert_close(score(H, keys), score(H, keys.expand(B, -1, -1)))


def test_coverage_moves_scores_of_covered_tokens_only():
    """At the start it moves none: the score is the same as without."""
    score = SCORES["additive"](D, True)
    assert not score.w.weight.any()
    torch.nn.init.normal_(score.w.weight)
    keys, nothing = score.prepare(Z), torch.zeros(B, S)
    moved = nothing.clone()
    moved[:, 2] = 1
    changed = (score(H, keys, moved) - score(H, keys, nothing)).abs()
    assert (changed[:, 2] > 1e-4).all() and changed[:, [0, 1, 3, 4]].max() == 0


def test_weights_are_the_softmax():
    """Eq. 42-43."""
    scores = torch.randn(4, 7, generator=GENERATOR)
    wanted = scores.double().exp() / scores.double().exp().sum(-1, keepdim=True)
    torch.testing.assert_close(weights(scores).double(), wanted, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(weights(scores).sum(-1), torch.ones(4))
