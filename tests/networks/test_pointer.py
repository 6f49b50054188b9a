"""The pointer network against its formula, and what it must not depend on: order, place and scale."""

from itertools import pairwise

import pytest
import torch

from tests import tiny
from tests.tiny import sentence
from tlmviz.config import PointerConfig
from tlmviz.errors import BadConfig
from tlmviz.networks.pointer import barred_before, boxed

POINTS = torch.rand(2, 7, 2, generator=torch.Generator().manual_seed(3))
ORDER = torch.tensor([[2, 0, 5, 7, 7], [1, 3, 4, 6, 7]])


@pytest.fixture(scope="module")
def network():
    return tiny.hull_finder().network


def test_the_score_is_the_additive_one(network):
    """u_ij = v.tanh(W1 e_j + W2 d_i) in float64, pair by pair (004 Eq. 52)."""
    generator = torch.Generator().manual_seed(0)
    e, d = (torch.randn(1, n, 16, generator=generator) for n in (4, 3))
    scores = network.score(network.w1(e), d)[0]
    w1, w2, bias, v = (p.double() for p in (network.w1.weight, network.w2.weight, network.w2.bias, network.v.weight[0]))
    for i in range(3):
        for j in range(4):
            inside = w1 @ e[0, j].double() + w2 @ d[0, i].double() + bias
            assert scores[i, j].item() == pytest.approx(float(v @ inside.tanh()), abs=1e-5)


def test_steps_equal_one_pass(network):
    scores = network(POINTS, ORDER)
    state = network.start(POINTS)
    for t in range(ORDER.shape[1]):
        pointer, state = network.step(state)
        torch.testing.assert_close(pointer, scores[:, t].softmax(-1), atol=1e-5, rtol=0)
        state = network.visit(state, ORDER[:, t])


def test_visited_points_are_barred_and_the_end_is_at_first():
    barred = barred_before(ORDER, 8)
    for row, order in zip(barred, ORDER):
        for step, places in enumerate(row):
            went = set(order[:step].tolist()) - {7}
            assert set(torch.nonzero(places).flatten().tolist()) == (went if step else {7})
    assert [a.sum().item() <= b.sum().item() for a, b in pairwise(barred[1, 1:])] == [True] * 3


def test_the_order_of_the_points_is_nothing_to_it(network):
    shuffle = torch.tensor([3, 0, 6, 5, 1, 4, 2])
    place = shuffle.argsort()
    moved = torch.cat((place, torch.tensor([7])))[ORDER]
    expected = network(POINTS, ORDER)[..., [*shuffle.tolist(), 7]]
    torch.testing.assert_close(network(POINTS[:, shuffle], moved), expected, atol=1e-5, rtol=0)


def test_neither_are_place_and_scale(network):
    stretched = POINTS * torch.tensor([40.0, 0.01]) + torch.tensor([-3.0, 70.0])
    torch.testing.assert_close(network(stretched, ORDER), network(POINTS, ORDER), atol=1e-2, rtol=0)


def test_the_box_of_points():
    points = torch.tensor([[[1.0, 5.0], [3.0, 5.0], [2.0, 5.0]]])
    assert boxed(points).tolist() == [[[0.0, 0.5], [1.0, 0.5], [0.5, 0.5]]]


@pytest.mark.parametrize(
    "change", [dict(n_heads=5), dict(least=2), dict(most=3), dict(d_model=0), dict(kind="seq2seq"), dict(n_layers=1.5)]
)
def test_a_configuration_of_no_network(change):
    with pytest.raises(BadConfig) as error:
        PointerConfig(**{"name": "x", **change})
    sentence(error)
