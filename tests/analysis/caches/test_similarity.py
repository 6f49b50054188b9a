"""Similarity of heads against the definitions, computed plainly in NumPy float64."""

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.caches.similarity import SIMILARITIES, linear_cka, map_correlation, most_alike, outputs


def drawn(n=3, length=9, size=4, seed=0):
    return torch.randn(n, length, size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def plain_cka(x: np.ndarray, y: np.ndarray) -> float:
    """Kornblith et al. 2019, Eq. 4 with linear kernels."""
    x, y = x - x.mean(0), y - y.mean(0)

    def hsic(a, b):
        return np.trace(a @ a.T @ b @ b.T)

    return hsic(x, y) / np.sqrt(hsic(x, x) * hsic(y, y))


def plain_unbiased(x: np.ndarray, y: np.ndarray) -> float:
    """Song et al. 2012, Eq. 5, cell by cell."""
    n = len(x)

    def gram(m):
        return np.array([[0.0 if i == j else m[i] @ m[j] for j in range(n)] for i in range(n)])

    def hsic(a, b):
        k, other = gram(a), gram(b)
        middle = k.sum() * other.sum() / ((n - 1) * (n - 2)) - 2 / (n - 2) * (k.sum(0) @ other.sum(0))
        return (np.trace(k @ other) + middle) / (n * (n - 3))

    return hsic(x, y) / np.sqrt(hsic(x, x) * hsic(y, y))


@pytest.mark.parametrize("unbiased, plain", [(False, plain_cka), (True, plain_unbiased)])
def test_cka_is_the_definition(unbiased, plain):
    x = drawn()
    found = linear_cka(x, unbiased).double().numpy()
    wanted = [[plain(a, b) for b in x.numpy()] for a in x.numpy()]
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    np.testing.assert_allclose(np.diag(found), 1, atol=1e-6)


def test_cka_does_not_see_a_turn_or_a_factor_but_a_shear():
    x = drawn(1)[0]
    turn = torch.linalg.qr(torch.randn(4, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64))[0]
    for unbiased in (False, True):
        like = linear_cka(
            torch.stack((x, 3 * x @ turn, x @ torch.diag(torch.tensor([9.0, 1, 1, 1]).double()))), unbiased
        )
        assert like[0, 1] == pytest.approx(1, abs=1e-6) and like[0, 2] < 0.95


def test_few_tokens_make_strangers_alike_and_unbiased_does_not():
    strangers = torch.stack([linear_cka(drawn(2, 6, 16, seed))[0, 1] for seed in range(50)])
    fair = torch.stack([linear_cka(drawn(2, 6, 16, seed), unbiased=True)[0, 1] for seed in range(50)])
    assert strangers.mean() > 0.6 and abs(fair.mean()) < 0.15


def test_constants_and_too_few_tokens_are_nan():
    assert torch.isnan(linear_cka(torch.ones(2, 5, 3))).all()
    assert torch.isnan(linear_cka(drawn(2, 3), unbiased=True)).all()
    assert torch.isnan(linear_cka(drawn(2, 1))).all()


def test_correlation_of_maps_is_that_of_rows_about_their_means(lm):
    trace = lm.trace(tiny.TEXT)
    maps = [trace.attention(layer, head).double().numpy() for layer in range(2) for head in range(4)]
    cells = []
    for weights in maps:
        rows = [row[: t + 1] - row[: t + 1].mean() for t, row in enumerate(weights) if t]
        cells.append(np.concatenate(rows))
    wanted = [[a @ b / np.sqrt((a @ a) * (b @ b)) for b in cells] for a in cells]
    np.testing.assert_allclose(map_correlation(trace).numpy(), wanted, atol=1e-4)


@pytest.mark.parametrize("ids", [[5], [5, 6], [7] * 40], ids=len)
def test_odd_texts_give_numbers_or_nan(variant, ids):
    trace = variant.trace_ids(ids)
    for measure in SIMILARITIES.values():
        found = measure(trace)
        assert found.shape == (8, 8)
        fine = found[torch.isfinite(found)]
        assert (fine.abs() <= 1.001).all() and (len(ids) > 1 or not len(fine))


def test_equal_states_have_no_similarity():
    """What is left of them is rounding: NaN, not noise over noise."""
    x = torch.ones(3, 40, 8) * torch.randn(3, 1, 8, generator=torch.Generator().manual_seed(0))
    x = x * (1 + 1e-7 * torch.randn(3, 40, 8, generator=torch.Generator().manual_seed(1)))
    assert torch.isnan(linear_cka(x)).all() and torch.isnan(linear_cka(x, unbiased=True)).all()


def test_outputs_are_the_heads_in_order(lm):
    trace = lm.trace(tiny.TEXT)
    found = outputs(trace)
    assert torch.equal(found[5], trace["blocks.1.attn.z"][0, 1])


def test_the_most_alike_are_the_largest_above_the_diagonal():
    values = torch.tensor([[1, 0.2, 0.9], [0.2, 1, torch.nan], [0.9, torch.nan, 1]])
    assert [(a, b) for a, b, _ in most_alike(values, 5)] == [(0, 2), (0, 1)]
    assert most_alike(values, 1)[0][2] == pytest.approx(0.9) and most_alike(torch.full((3, 3), torch.nan)) == []
