"""Planes of vectors: principal axes against NumPy's SVD, t-SNE on clusters, and the plane of an analogy."""

import numpy as np
import pytest
import torch

from tlmviz.analysis.words.nearness import analogy_vector, unit
from tlmviz.analysis.words.projection import plane_of, principal_axes, tsne


def vectors(count=40, size=7, seed=0):
    return torch.randn(count, size, generator=torch.Generator().manual_seed(seed)) * torch.arange(1.0, size + 1)


@pytest.mark.parametrize("count, size", [(40, 7), (5, 7), (2, 3), (300, 2)])
def test_principal_axes_are_those_of_the_svd(count, size):
    rows = vectors(count, size)
    found = principal_axes(rows, 2)
    centred = rows.double().numpy() - rows.double().numpy().mean(0)
    _, singular, directions = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(found.share, (singular**2 / (singular**2).sum())[:2], atol=1e-12)
    np.testing.assert_allclose(np.abs(found.axes[0] @ directions[0]), 1, atol=1e-10)
    np.testing.assert_allclose(found.axes @ found.axes.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(found.place(rows), centred @ found.axes.T, atol=1e-10)
    assert (found.axes.max(1) >= -found.axes.min(1)).all()


def test_equal_vectors_have_a_plane_without_variance():
    found = principal_axes(torch.ones(4, 3))
    assert np.isfinite(found.axes).all() and found.share.tolist() == [0, 0]


def test_tsne_keeps_clusters_apart_and_is_the_same_again():
    centres = 20 * torch.eye(3, 6)
    rows = torch.cat([centre + 0.1 * vectors(20, 6, seed) for seed, centre in enumerate(centres)])
    placed = tsne(rows)
    np.testing.assert_array_equal(placed, tsne(rows))
    groups = placed.reshape(3, 20, 2)
    middle = groups.mean(1)
    inside = np.linalg.norm(groups - middle[:, None], axis=2).max()
    between = min(np.linalg.norm(middle[i] - middle[j]) for i in range(3) for j in range(i))
    assert between > inside


def test_tsne_needs_four_vectors():
    assert tsne(vectors(4)).shape == (4, 2)
    with pytest.raises(ValueError, match="at least 4"):
        tsne(vectors(3))


def test_the_plane_of_three_words_holds_them_and_the_sum():
    a, b, c = unit(vectors(3, 9)).double()
    directions, origin = plane_of(a, b, c)
    np.testing.assert_allclose(directions @ directions.T, np.eye(2), atol=1e-12)
    for point in (a, b, c, analogy_vector(a, b, c)):
        away = point.numpy() - origin
        np.testing.assert_allclose((away @ directions.T) @ directions, away, atol=1e-12)
    along = (b.numpy() - origin) @ directions.T
    assert along[0] > 0 and abs(along[1]) < 1e-12
    assert ((c.numpy() - origin) @ directions.T)[1] > 0


@pytest.mark.parametrize("same", [(0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 0)])
def test_the_plane_of_the_same_word_twice_is_a_plane(same):
    rows = unit(vectors(2, 5)).double()
    directions, _ = plane_of(*(rows[k] for k in same))
    np.testing.assert_allclose(directions @ directions.T, np.eye(2), atol=1e-9)
