"""Analogies counted, against a loop over all words."""

import numpy as np
import pytest
import torch

import tlmviz
from tlmviz.analysis.words.analogies import RELATIONS, quadruples, tally
from tlmviz.analysis.words.nearness import unit


def test_every_two_pairs_of_known_words_make_an_analogy():
    pairs = [("a", "b"), ("c", "d"), ("e", "unknown")]
    rows = {word: row for row, word in enumerate("abcde")}
    assert quadruples(pairs, rows.get) == [(0, 1, 2, 3), (2, 3, 0, 1)]


def test_exact_parallelograms_are_all_found():
    random = torch.Generator().manual_seed(0)
    shift = torch.zeros(8)
    shift[0] = 1.0
    singles = torch.randn(5, 8, generator=random)
    singles[:, 0] = 0
    singles = unit(singles)
    rows = torch.cat([singles, singles + shift])  # of each pair the second is the first and a shift
    pairs = [(str(k), str(k + 5)) for k in range(5)]
    [found] = tally(rows, lambda word: int(word), {"shifted": pairs})
    assert (found.count, found.five) == (20, 1.0) and found.first > found.without


@pytest.mark.parametrize("relation", ["he : she", "country : language"])
def test_counts_are_those_of_a_plain_loop(relation):
    wv = tlmviz.load("words-negative")
    rows = {word: row for row, word in enumerate(wv.vocabulary)}
    [found] = tally(wv.space, rows.get, {relation: RELATIONS[relation]})
    fours = quadruples(RELATIONS[relation], rows.get)[::7]
    vectors = wv.space.double().numpy()
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    right = [
        wv.analogy(*(wv.vocabulary[row] for row in four[:3]), n=1)[0][0] == wv.vocabulary[four[3]] for four in fours
    ]
    by_hand = []
    for a, b, c, d in fours:
        near = vectors @ (vectors[b] - vectors[a] + vectors[c])
        near[[a, b, c]] = -np.inf
        by_hand.append(int(near.argmax()) == d)
    assert right == by_hand
    [part] = tally(wv.space, rows.get, {relation: RELATIONS[relation][:4]})
    assert part.count == 12 and 0 <= part.first <= part.five <= 1 <= part.median
    assert 0 <= found.without <= 1 and found.given > 0.1


def test_relations_without_two_known_pairs_are_left_out():
    assert tally(torch.eye(3), {"a": 0, "b": 1}.get, {"one": [("a", "b")], "none": [("x", "y")]}) == []


def test_every_pair_is_two_words_and_stands_once():
    for pairs in RELATIONS.values():
        assert len(set(pairs)) == len(pairs) and all(a != b for a, b in pairs)
