"""The tree against brute force over all trees, and hierarchical softmax against the notes' products."""

import math
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.analysis.words import huffman
from tlmviz.analysis.words.gradients import logistic_gradients


@cache
def shortest(counts):
    """The least total path length of any binary tree over these counts, by trying every way to join two."""
    if len(counts) == 1:
        return 0
    best = math.inf
    for i in range(len(counts)):
        for j in range(i + 1, len(counts)):
            rest = [count for at, count in enumerate(counts) if at not in (i, j)]
            both = counts[i] + counts[j]
            best = min(best, both + shortest(tuple(sorted([*rest, both]))))
    return best


@given(st.lists(st.integers(1, 40), min_size=2, max_size=6))
def test_no_tree_is_shorter(counts):
    tree = huffman.huffman_tree(np.array(counts))
    total = tree.mean_length(np.array(counts)) * sum(counts)
    assert total == pytest.approx(shortest(tuple(sorted(counts))))


def test_paths_lead_from_the_root_to_their_words():
    counts = np.array([50, 20, 10, 9, 5, 5, 1])
    tree = huffman.huffman_tree(counts)
    assert len(tree.children) == 6 and len({path.code for path in tree.paths}) == 7
    for word, path in enumerate(tree.paths):
        assert path.nodes[0] == tree.root and len(path.nodes) == len(path.turns)
        here = tree.root
        for node, turn in zip(path.nodes, path.turns):
            assert node == here
            child = tree.children[node, 0 if turn == huffman.LEFT else 1]
            here = child - 7 if child >= 7 else None
        assert child == word
    assert sum(2.0 ** -len(path.nodes) for path in tree.paths) == 1  # Kraft: no code begins another, none is missing
    assert len(tree.paths[0].nodes) == 1 and len(tree.paths[6].nodes) == max(len(path.nodes) for path in tree.paths)


def test_one_word_needs_no_tree():
    with pytest.raises(ValueError):
        huffman.huffman_tree(np.array([3]))


def test_probabilities_are_the_notes_products():
    """004 Eq. 24 by hand for every word; together they are 1 (Eq. 25)."""
    tree = huffman.huffman_tree(np.array([8, 4, 3, 3, 2, 1, 1, 1]))
    v, nodes = torch.randn(3, 5, dtype=torch.float64), torch.randn(7, 5, dtype=torch.float64)
    p = huffman.log_probabilities(v, nodes, tree).exp()
    for b in range(3):
        for word, path in enumerate(tree.paths):
            product = 1.0
            for node, turn in zip(path.nodes, path.turns):
                product *= 1 / (1 + math.exp(-turn * float(nodes[node] @ v[b])))
            assert p[b, word].item() == pytest.approx(product, rel=1e-10)
    torch.testing.assert_close(p.sum(-1), torch.ones(3, dtype=torch.float64))


def test_the_gradient_along_a_path_is_that_of_the_sweep():
    tree = huffman.huffman_tree(np.array([8, 4, 3, 2, 1]))
    v = torch.randn(1, 4, dtype=torch.float64, requires_grad=True)
    nodes = torch.randn(4, 4, dtype=torch.float64, requires_grad=True)
    rows, turns = tree.padded
    for word in range(5):
        grads = torch.autograd.grad(-huffman.log_probabilities(v, nodes, tree)[0, word], (v, nodes))
        step = logistic_gradients(v.detach(), nodes.detach()[rows[word]][None], turns[word][None].double())
        torch.testing.assert_close(step.center, grads[0])
        own = torch.zeros(4, 4, dtype=torch.float64).index_add_(0, rows[word], step.context[0])
        torch.testing.assert_close(own, grads[1])
