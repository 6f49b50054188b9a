"""Windows against the notes' example and against loops."""

from collections import Counter

import numpy as np
import pytest

from tlmviz.analysis.words import pairs as windows

TEXT = ["the", "cat", "sit", "on", "the", "mat"]


def by_loops(words, window):
    found = []
    for at, center in enumerate(words):
        for other in range(at - window, at + window + 1):
            if other != at and 0 <= other < len(words):
                found.append((center, words[other]))
    return found


def test_the_notes_example():
    """004 Eq. 6 lists the pairs (context <- center) of the four middle words."""
    inner = [pair for at, pair in enumerate(windows.pairs(TEXT, 1)) if 1 <= at < 9]
    assert inner == [
        ("cat", "the"),
        ("cat", "sit"),
        ("sit", "cat"),
        ("sit", "on"),
        ("on", "sit"),
        ("on", "the"),
        ("the", "on"),
        ("the", "mat"),
    ]


@pytest.mark.parametrize("window", [1, 2, 3, 5, 99])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 6])
def test_pairs_are_those_of_loops(window, length):
    words = TEXT[:length]
    assert windows.pairs(words, window) == by_loops(words, window)


def test_own_windows_and_documents():
    radius, document = np.array([1, 2, 3, 1, 2]), np.array([0, 0, 0, 1, 1])
    found = list(zip(*(part.tolist() for part in windows.pair_positions(radius, document))))
    expected = [
        (c, o) for c in range(5) for o in range(5) if o != c and abs(o - c) <= radius[c] and document[o] == document[c]
    ]
    assert found == expected


def test_frequent_words_are_dropped():
    counts = np.array([900, 90, 10])
    keep = windows.keep_probability(counts, 0.04)
    assert keep == pytest.approx([np.sqrt(0.04 / 0.9), np.sqrt(0.04 / 0.09), 1.0])
    assert (windows.keep_probability(counts, 0.0) == 1).all()


def test_noise_is_counts_to_three_quarters():
    counts = np.array([16, 81, 256])
    assert windows.noise_distribution(counts) == pytest.approx(np.array([8, 27, 64]) / 99)
    assert windows.noise_distribution(counts, 1.0) == pytest.approx(counts / 353)


@pytest.mark.parametrize("by_distance", [True, False])
@pytest.mark.parametrize("window", [1, 2, 9])
def test_cooccurrence_is_that_of_loops(window, by_distance):
    rng = np.random.default_rng(0)
    ids, document = rng.integers(0, 5, 30), np.sort(rng.integers(0, 3, 30))
    found = windows.cooccurrence(ids, window, 5, document, by_distance).toarray()
    expected = Counter()
    for i in range(30):
        for j in range(30):
            if 0 < abs(i - j) <= window and document[i] == document[j]:
                expected[ids[i], ids[j]] += 1 / abs(i - j) if by_distance else 1
    assert found == pytest.approx(np.array([[expected[i, j] for j in range(5)] for i in range(5)]))
    assert found == pytest.approx(found.T)


def test_a_text_without_pairs_has_no_cooccurrence():
    for ids in ([], [3]):
        assert windows.cooccurrence(np.array(ids, np.int64), 2, 5).nnz == 0
