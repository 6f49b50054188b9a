"""Digits drawn in strokes: pictures like those of the collection, of the digits that their labels say."""

import numpy as np

from tlmviz import digits
from tlmviz.training import strokes


def test_every_digit_is_drawn_as_large_as_the_collections():
    images, labels = strokes.drawn(np.random.default_rng(0), 200)
    assert images.shape == (200, 8, 8) and set(labels.tolist()) == set(range(10))
    assert images.min() == 0 and images.max() <= digits.INK and (images == np.rint(images)).all()
    rows = (images > 8).any(2).sum(1)
    assert np.quantile(rows, 0.1) >= 6  # from edge to edge, whatever their size was on the pad


def test_most_are_nearest_to_digits_of_their_own_label():
    images, labels = strokes.drawn(np.random.default_rng(1), 200)
    known = digits.training()
    apart = ((images[:, None] - known.images[None]) ** 2).sum((2, 3))
    near = known.labels[apart.argsort(1)[:, :5]]
    assert (near == labels[:, None]).any(1).mean() > 0.6


def test_a_seed_draws_the_same():
    first, again = (strokes.drawn(np.random.default_rng(3), 5) for _ in range(2))
    np.testing.assert_array_equal(first[0], again[0])
