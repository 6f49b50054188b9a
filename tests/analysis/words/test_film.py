"""Moving vectors in a plane: principal axes, turned to follow one another."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from tlmviz.analysis.words import film

rng = np.random.default_rng(0)


def test_the_axes_are_the_principal_ones():
    vectors = rng.normal(size=(50, 6)) * [5, 3, 1, 1, 1, 1]
    axes = film.leading_axes(vectors)
    values, directions = np.linalg.eigh(np.cov(vectors.T))
    np.testing.assert_allclose(np.abs(axes @ directions[:, ::-1][:, :2]), np.eye(2), atol=1e-9)


def test_axes_are_turned_to_those_before_as_procrustes_says():
    vectors = rng.normal(size=(50, 6)) * [5, 4.9, 1, 1, 1, 1]
    own = film.leading_axes(vectors)
    beside = np.array([own[1], -own[0]])  # the same plane, a quarter turn on
    rotation, _ = orthogonal_procrustes(own.T, beside.T)
    turned = film.leading_axes(vectors, beside)
    np.testing.assert_allclose(turned, (own.T @ rotation).T, atol=1e-9)
    np.testing.assert_allclose(turned, beside, atol=1e-9)


@pytest.mark.parametrize("words", [2, 3, 40])
def test_places_are_on_the_last_pictures_axes_about_its_mean(words):
    pictures = [rng.normal(size=(words, 8)) for _ in range(4)]
    places = film.places(pictures)
    assert places.shape == (4, words, 2) and np.isfinite(places).all()
    np.testing.assert_allclose(places[-1].mean(0), 0, atol=1e-9)
    spread = np.linalg.svd(pictures[-1] - pictures[-1].mean(0), compute_uv=False)[:2]
    assert (places[-1] ** 2).sum() == pytest.approx((spread**2).sum())
