"""Cosines, analogies and the share of neighbours of the same category, against plain computations."""

import numpy as np
import pytest
import torch

from tlmviz.analysis.words import nearness
from tlmviz.analysis.words.categories import CATEGORIES


def test_cosines():
    vectors = torch.tensor([[3.0, 4.0], [-4.0, 3.0], [0.0, 0.0], [-6.0, -8.0]])
    assert nearness.cosines(vectors[0], vectors).tolist() == pytest.approx([1, 0, 0, -1], abs=1e-6)


def test_an_analogy_is_of_unit_vectors():
    a, b, c = torch.tensor([2.0, 0]), torch.tensor([0, 5.0]), torch.tensor([-3.0, 0])
    assert nearness.analogy_vector(a, b, c).tolist() == pytest.approx([-2, 1], abs=1e-6)


def test_precision_by_loops():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(9, 3)).astype(np.float32)
    row = {word: i for i, word in enumerate("abcdefghi")}
    categories = {"one": ("a", "c", "e"), "two": ("b", "d", "z"), "three": ("f", "g")}  # z is no word
    of = {word: name for name, words in categories.items() for word in words if word in row}
    for everywhere in (False, True):
        hits = []
        for word in of:

            def near(other, word=word):
                one, two = vectors[row[word]], vectors[row[other]]
                return one @ two / np.linalg.norm(one) / np.linalg.norm(two)

            others = [other for other in (row if everywhere else of) if other != word]
            best = sorted(others, key=near, reverse=True)[:2]
            hits += [of.get(other) == of[word] for other in best]
        assert nearness.precision(vectors, row, categories, 2, everywhere) == pytest.approx(np.mean(hits))


def test_categories_are_many_and_share_no_word():
    words = [word for members in CATEGORIES.values() for word in members]
    assert len(CATEGORIES) >= 12 and all(len(members) == 8 for members in CATEGORIES.values())
    assert len(set(words)) == len(words)
