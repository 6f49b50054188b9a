"""A text as a sliding window reads it: counts window by window, seeded throws, cosines, distances."""

from collections import Counter

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from tlmviz.analysis.words import reading

WORDS = ["the", "cat", "sat", "on", "the", "mat", "and", "the", "dog", "sat", "on", "the", "rug"]


def by_hand(words, window):
    """(center, context) of every window, written as plainly as possible."""
    counts = Counter()
    for n, center in enumerate(words):
        for j in range(-window, window + 1):
            if j != 0 and 0 <= n + j < len(words):
                counts[center, words[n + j]] += 1
    return counts


@pytest.mark.parametrize("window", [1, 2, 5, 40])
def test_the_matrix_counts_window_by_window(window):
    text = reading.read(WORDS, {})
    expected = by_hand(WORDS, window)
    matrix = text.cooccurrence(window)
    for i, center in enumerate(text.vocabulary):
        for j, context in enumerate(text.vocabulary):
            assert matrix[i, j] == expected[center, context]
    assert Counter(text.pairs(window)) == expected


def test_distance_weighs_by_one_over_it():
    matrix = reading.read(["a", "b", "c"], {}).cooccurrence(2, by_distance=True)
    np.testing.assert_allclose(matrix, [[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]])


def test_a_throw_follows_its_seed_and_its_probabilities():
    words = ["the", "cat"] * 5000
    text = reading.read(words, {"the": 0.2}, seed=3)
    assert text.kept[1::2].all()
    assert text.kept[::2].mean() == pytest.approx(0.2, abs=0.02)
    np.testing.assert_array_equal(text.kept, reading.read(words, {"the": 0.2}, seed=3).kept)
    assert (text.kept != reading.read(words, {"the": 0.2}, seed=4).kept).any()
    assert text.counts.tolist() == [5000, 5000] and text.vocabulary == ("the", "cat")


def test_the_window_closes_over_thrown_words():
    text = reading.read(["cat", "the", "dog"], {"the": 0.0})
    assert text.pairs(1) == [("cat", "dog"), ("dog", "cat")]
    np.testing.assert_array_equal(text.cooccurrence(1), [[0, 0, 1], [0, 0, 0], [1, 0, 0]])


def test_the_most_frequent_stand_in_order_of_appearance():
    assert reading.most_frequent(["b", "a", "c", "a", "c"], 2) == ["a", "c"]
    assert reading.most_frequent([], 3) == []


def test_rows_alike_and_apart():
    text = reading.read("a cat sat . a dog sat . cat ran . . dog ran .".replace(" .", " x y").split(), {})
    matrix = text.cooccurrence(1)
    one, other = reading.alike_apart(matrix, text.counts)
    assert matrix[one, other] == 0
    lengths = np.sqrt((matrix[[one, other]] ** 2).sum(1))
    assert reading.row_cosines(matrix)[one, other] == pytest.approx(matrix[one] @ matrix[other] / lengths.prod())
    assert reading.alike_apart(np.zeros((0, 0)), np.zeros(0, int)) is None
    assert reading.alike_apart(np.zeros((3, 3)), np.full(3, 2)) is None
    assert not reading.row_cosines(np.zeros((3, 3))).any()


def test_distances_are_those_of_scipy_and_one_hot_ones_root_two():
    vectors = np.random.default_rng(0).normal(size=(6, 4))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(reading.unit_distances(vectors), squareform(pdist(unit)), atol=1e-12)
    np.testing.assert_allclose(reading.unit_distances(reading.one_hot(7)), np.sqrt(2) * (1 - np.eye(7)), atol=1e-15)
