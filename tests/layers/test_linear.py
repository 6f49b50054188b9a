"""Linear attention: both forms against a float64 loop, and Performer's features against the softmax they estimate."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz.errors import BadShape
from tlmviz.layers import sparse
from tlmviz.layers.linear import Elu, Performer, parallel, recurrent, weight_strips

METHODS = [Elu(), Performer(40), Performer(3, seed=2)]


def qkv(length, width=8, seed=0, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return tuple(scale * torch.randn(1, 2, length, width, generator=generator) for _ in range(3))


@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(length=st.integers(1, 30), strip=st.sampled_from([1, 60, 2**21]))
def test_both_forms_are_the_definition(method, length, strip):
    q, k, v = qkv(length)
    phi_q, phi_k = method.features(q, k, 0.3)
    assert phi_q.shape[-1] == method.size(8) and (phi_q > 0).all() and (phi_k > 0).all()
    weights = (phi_q.double() @ phi_k.double().transpose(-1, -2)).tril()
    expected = weights / weights.sum(-1, keepdim=True) @ v.double()
    before = sparse.STRIP
    sparse.STRIP = strip
    try:
        torch.testing.assert_close(parallel(phi_q, phi_k, v).double(), expected, atol=1e-4, rtol=1e-4)
    finally:
        sparse.STRIP = before
    torch.testing.assert_close(recurrent(phi_q, phi_k, v).double(), expected, atol=1e-4, rtol=1e-4)


def test_some_rows_are_those_rows():
    q, k, v = qkv(20)
    phi_q, phi_k = Elu().features(q, k, 0.3)
    torch.testing.assert_close(parallel(phi_q, phi_k, v, slice(1, None, 3)), parallel(phi_q, phi_k, v)[:, :, 1::3])


def test_elu_features_are_elu_plus_one():
    q, k, _ = qkv(5)
    phi_q, _ = Elu().features(q, k, 0.25)
    x = q * 0.5
    torch.testing.assert_close(phi_q, torch.where(x > 0, x + 1, x.exp()))


def test_performer_comes_closer_to_the_softmax_with_more_features():
    q, k, _ = qkv(40, scale=0.8)
    exact = tiny.probabilities(q, k)
    errors = []
    for count in (8, 64, 4096):
        [(_, weights)] = weight_strips(*Performer(count).features(q, k, 8**-0.5))
        errors.append((weights - exact).abs().sum(-1).mean().item())
    assert errors[0] > errors[1] > errors[2] < 0.15


def test_performer_directions_are_orthogonal_and_repeat_with_their_seed():
    w = Performer(20, seed=3)._directions(8)
    gram = w[:8] @ w[:8].T
    assert (gram - gram.diagonal().diag()).abs().max() < 1e-4
    assert torch.equal(w, Performer(20, seed=3)._directions(8)) and not torch.equal(
        w, Performer(20, seed=4)._directions(8)
    )


@pytest.mark.parametrize("size", [0.25, -0.25])
def test_performer_features_are_unbiased(size):
    """E[phi(q).phi(k)] = exp(q.k), over 2,000 seeds, for vectors along the diagonal, where a bias of the signs adds
    up."""
    q = k = torch.full((32,), size / 2)
    seen = []
    for seed in range(2000):
        w = Performer(32, seed)._directions(32)  # [m, D]
        phi_q, phi_k = ((w @ x - x.square().sum() / 2).exp() / 32**0.5 for x in (q, k))
        seen.append(phi_q @ phi_k / (q @ k).exp())
    ratios = torch.stack(seen).double()
    assert abs(ratios.mean() - 1) < 4 * ratios.std() / len(ratios) ** 0.5 < 0.05


def test_large_inputs_stay_finite():
    q, k, v = qkv(30, scale=100.0)
    for method in METHODS:
        assert torch.isfinite(parallel(*method.features(q, k, 0.3), v)).all()


def test_no_features_are_refused_in_a_sentence():
    with pytest.raises(BadShape) as error:
        Performer(0)
    assert "give" in tiny.sentence(error)
