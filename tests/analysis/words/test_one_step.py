"""One step of training: against automatic differentiation, and against what the training itself does to the vectors."""

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.words import one_step
from tlmviz.training.words import METHODS, Windows, WordText

RATE = 0.4


def learned(wv, centers, contexts, drawn=None):
    """The vectors after the training has taken one step of RATE for one window, in its own float32, with these words
    drawn."""
    text = WordText(tuple(wv.vocabulary), wv.counts, np.array([0]), np.array([0]))
    network = wv.network
    given = Windows(torch.tensor([centers]), torch.tensor([contexts]), torch.ones(1, len(contexts)))
    method = METHODS[wv.kind](network, text, 0)
    if drawn is not None:
        method.noise.draw = lambda rows, columns: torch.from_numpy(drawn)[None]
    method.learn(given, RATE)
    return network.vectors.data.numpy(), network.context.data.numpy()


def two(wv):
    return wv.vocabulary[3], wv.vocabulary[7]


def test_the_gradient_of_the_softmax_is_u_o_minus_the_mean_of_u():
    wv = tiny.word_vectors("skipgram")
    center, context = two(wv)
    step = one_step.softmax_step(wv, center, context)
    v = wv.vector(center).double().requires_grad_()
    u = wv.context_vectors.double()
    torch.log_softmax(u @ v, -1)[wv.index(context)].backward()
    np.testing.assert_allclose(step.gradient, v.grad, atol=1e-12)
    p = wv.probabilities(center).double()
    np.testing.assert_allclose(step.gradient, u[wv.index(context)] - p @ u, atol=1e-6)


@pytest.mark.parametrize("method", ["skipgram", "hierarchical"])
def test_a_step_over_all_outputs_is_what_training_does(method):
    wv = tiny.word_vectors(method)
    center, context = two(wv)
    make = one_step.softmax_step if method == "skipgram" else one_step.tree_step
    step = make(wv, center, context)
    v, outputs = step.moved(RATE)
    vectors, contexts = learned(wv, wv.index(center), [wv.index(context)])
    np.testing.assert_allclose(v, vectors[wv.index(center)], atol=1e-6)  # trained in float32 tables, kept in float16
    np.testing.assert_allclose(outputs, contexts, atol=1e-6)
    np.testing.assert_allclose(step.moved_scores(RATE), outputs @ v, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_step_of_negative_sampling_is_what_training_does(seed):
    wv = tiny.word_vectors("negative", negatives=9)
    center, context = two(wv)
    numbers, drawn = one_step.draws(wv.counts, wv.config.power, wv.config.negatives, seed)
    assert len(numbers) == len(drawn) == 9 and numbers.min() >= 0 and numbers.max() < 1
    rows = np.array([wv.index(context), *drawn])
    v = wv.vector(center).double().numpy()
    step = one_step.sampled_step(v, wv.context_vectors[rows].double().numpy(), rows)
    after, outputs = step.moved(RATE)
    vectors, contexts = learned(wv, wv.index(center), [wv.index(context)], drawn)
    np.testing.assert_allclose(after, vectors[wv.index(center)], atol=1e-6)
    np.testing.assert_allclose(outputs, contexts[rows], atol=1e-6)  # words drawn twice moved twice
    np.testing.assert_allclose(step.moved_scores(RATE), outputs @ after, atol=1e-12)


def test_a_word_that_stands_twice_in_cbows_window_lifts_the_mean_twice():
    wv = tiny.word_vectors("cbow")
    around = [wv.vocabulary[k] for k in (1, 4, 4, 6)]
    target = 9
    mean, lift = one_step.bag(wv, around)
    np.testing.assert_allclose(mean, wv.input_vector(around), atol=1e-6)
    assert lift == pytest.approx((1 + 4 + 1) / 4)
    _, drawn = one_step.draws(wv.counts, wv.config.power, wv.config.negatives, 0)
    rows = np.array([target, *drawn])
    step = one_step.sampled_step(mean, wv.context_vectors[rows].double().numpy(), rows, lift)
    after, outputs = step.moved(RATE)
    vectors, contexts = learned(wv, target, [wv.index(word) for word in around], drawn)
    np.testing.assert_allclose(after, vectors[[wv.index(word) for word in around]].mean(0), atol=1e-6)
    np.testing.assert_allclose(outputs, contexts[rows], atol=1e-6)


def test_frequent_words_are_drawn_by_their_count_to_the_power():
    counts = np.array([1000, 100, 10, 1])
    drawn = np.concatenate([one_step.draws(counts, 0.75, 20, seed)[1] for seed in range(1500)])
    weights = counts**0.75
    found = np.bincount(drawn, minlength=4) / len(drawn)
    np.testing.assert_allclose(found, weights / weights.sum(), atol=0.01)
    assert (one_step.draws(counts, 0.75, 20, 7)[1] == one_step.draws(counts, 0.75, 20, 7)[1]).all()


def test_a_draw_of_the_word_itself_is_left_out():
    assert one_step.signs_of(np.array([5, 3, 5, 3])).tolist() == [1, -1, 0, -1]


def test_losses_are_logarithms_of_the_probabilities():
    scores = np.array([0.3, -2.0, 1.5])
    assert one_step.softmax_loss(scores, 1) == pytest.approx(-np.log(one_step.softmax(scores)[1]))
    signs = np.array([1.0, -1.0, 0.0])
    expected = -np.log(1 / (1 + np.exp(-0.3))) - np.log(1 / (1 + np.exp(-2.0)))
    assert one_step.logistic_loss(scores, signs) == pytest.approx(expected)


def test_every_leaf_and_node_has_what_the_tree_gives_it():
    wv = tiny.word_vectors("hierarchical")
    center, context = two(wv)
    reached = one_step.tree_probabilities(one_step.tree_step(wv, center, context).scores, wv.tree)
    size = len(wv.vocabulary)
    np.testing.assert_allclose(reached[:size], wv.probabilities(center), atol=1e-6)
    assert reached[:size].sum() == pytest.approx(1, abs=1e-12) and reached[-1] == 1
    for node, (left, right) in enumerate(wv.tree.children):
        assert reached[left] + reached[right] == pytest.approx(reached[size + node], abs=1e-12)
    signs = one_step.path_signs(wv, context)
    assert np.count_nonzero(signs) == len(wv.path(context).nodes)


def test_a_plane_holds_both_vectors_and_finds_axes_where_there_are_none():
    a, b = np.array([3.0, 0, 4.0]), np.array([1.0, 2.0, 0])
    axes = one_step.plane(a, b, b)
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(axes[0], a / 5)
    np.testing.assert_allclose(axes.T @ (axes @ b), b, atol=1e-12)
    for first, second in ((a, 2 * a), (a, 0 * a), (0 * a, 0 * a)):
        axes = one_step.plane(first, second, 3 * a)
        np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-12)
