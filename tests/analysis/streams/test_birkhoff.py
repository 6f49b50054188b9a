"""Birkhoff-von Neumann: every doubly stochastic matrix is an average of permutations, and nothing else is one."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from tlmviz import kernels
from tlmviz.analysis.streams.birkhoff import birkhoff
from tlmviz.errors import BadShape


@st.composite
def doubly_stochastic(draw, largest=6):
    """Averages of random permutations, some with few terms, so that zeros and ties occur."""
    n = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    terms = draw(st.integers(1, 12))
    weights = rng.dirichlet(np.full(terms, draw(st.sampled_from([0.2, 1.0, 20.0]))))
    return sum(weight * np.eye(n)[rng.permutation(n)] for weight in weights)


def is_permutation(row) -> bool:
    return sorted(row) == list(range(len(row)))


@settings(max_examples=80, deadline=None)
@given(doubly_stochastic())
def test_terms_are_permutations_whose_weighted_sum_is_the_matrix(matrix):
    found, n = birkhoff(matrix), len(matrix)
    assert len(found.weights) <= (n - 1) ** 2 + 1
    assert all(is_permutation(row) for row in found.permutations)
    assert found.weights.sum() == pytest.approx(1, abs=1e-9) and (found.weights > 0).all()
    assert (np.diff(found.weights) <= 1e-15).all(), "largest first"
    np.testing.assert_allclose(found.matrix(), matrix, atol=1e-9)
    assert found.residual == pytest.approx(np.abs(found.matrix() - matrix).max(), abs=1e-15)


@settings(max_examples=40, deadline=None)
@given(doubly_stochastic())
def test_the_first_weight_is_the_largest_possible(matrix):
    """The widest permutation, found once more by scipy: the highest threshold whose entries hold a permutation."""

    def fits(threshold):
        rows, columns = linear_sum_assignment((matrix < threshold).astype(float))
        return not (matrix[rows, columns] < threshold).any()

    widest = max(value for value in np.unique(matrix) if fits(value))
    assert birkhoff(matrix).weights[0] == pytest.approx(widest, abs=1e-15)


@pytest.mark.parametrize("n", [1, 2, 4, 8, 16])
def test_what_sinkhorn_gives_in_float32(n):
    logits = torch.randn(n, n, generator=torch.Generator().manual_seed(n))
    matrix = kernels.sinkhorn(logits, 50)
    found = birkhoff(matrix)
    assert found.residual < 1e-5 and found.weights.sum() == pytest.approx(1, abs=1e-5)
    assert len(found.weights) <= (n - 1) ** 2 + 1


def test_corners_and_the_centre():
    found = birkhoff(np.eye(5)[[2, 0, 1, 4, 3]])
    assert found.weights.tolist() == [1.0] and found.permutations.tolist() == [[2, 0, 1, 4, 3]]
    flat = birkhoff(np.full((4, 4), 0.25))
    assert flat.weights.tolist() == [0.25] * 4 and flat.residual == 0
    assert (np.sort(flat.permutations, axis=0) == np.arange(4)[:, None]).all(), "a Latin square: no entry is used twice"


def test_a_known_matrix():
    found = birkhoff(np.array([[0.7, 0.3, 0.0], [0.0, 0.7, 0.3], [0.3, 0.0, 0.7]]))
    np.testing.assert_allclose(found.weights, [0.7, 0.3])
    assert found.permutations.tolist() == [[0, 1, 2], [1, 2, 0]]


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.ones((2, 3)), "square"),
        (np.ones(4), "square"),
        (np.zeros((0, 0)), "square"),
        (np.eye(17), "1 to 16 rows"),
        (np.array([[np.nan, 1], [1, 0]]), "NaN"),
        (np.array([[1.2, -0.2], [-0.2, 1.2]]), "below 0"),
        (np.array([[0.7, 0.0], [0.0, 1.0]]), "sum to 0.7"),
        (np.array([[0.7, 0.3], [0.7, 0.3]]), "sum to 0.6 up to 1.4"),
    ],
)
def test_other_matrices_are_refused_in_a_sentence(matrix, words):
    with pytest.raises(BadShape, match=words):
        birkhoff(matrix)


def test_sums_that_are_nearly_right_leave_a_residual_of_that_size():
    matrix = np.array([[0.7, 0.3], [0.3, 0.7]]) + np.array([[2e-4, 0], [0, 0]])
    found = birkhoff(matrix)
    with pytest.raises(BadShape, match="sum to 1 up to 1.0002"):
        birkhoff(matrix, tolerance=1e-4)
    assert 1e-5 < found.residual < 1e-3 and found.weights.sum() == pytest.approx(1, abs=1e-3)
