"""The indexer against Eq. 70 written out cell by cell, its bad input, and rotations that are orthogonal."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.config import IndexerConfig
from tlmviz.errors import BadConfig, BadShape, UnknownName
from tlmviz.layers.indexer import ROTATIONS, Indexer, Indexers, orthogonal

from ..tiny import sentence

SIZES = dict(name="i", teacher="t", fingerprint="f", n_layers=2, d_model=12, heads=3, head_dim=8, rope_dim=4)


def config(**changes) -> IndexerConfig:
    return IndexerConfig(**{**SIZES, **changes})


def indexer(seed=0, **changes) -> Indexer:
    made, generator = Indexer(config(**changes)), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in made.parameters():
            p.copy_(torch.randn(p.shape, generator=generator) * 0.5)
    return made.requires_grad_(False)


def turned(x, t, rope_dim, base):
    """RoPE of one vector, plane by plane."""
    x = x.clone()
    for j in range(rope_dim // 2):
        angle = t * base ** (-2 * j / rope_dim)
        a, b = x[2 * j].item(), x[2 * j + 1].item()
        x[2 * j] = a * math.cos(angle) - b * math.sin(angle)
        x[2 * j + 1] = a * math.sin(angle) + b * math.cos(angle)
    return x


def reference(made: Indexer, x):
    """[T, T] in float64, one number at a time."""
    x, length = x.double(), len(x)
    wq, wk, ww = (layer.weight.double() for layer in (made.q, made.k, made.w))
    keys = []
    for t in range(length):
        k = wk @ x[t]
        k = (k - k.mean()) / (
            k.var(unbiased=False) + 1e-5
        ).sqrt() * made.k_norm.weight.double() + made.k_norm.bias.double()
        keys.append(turned(k, t, made.rope_dim, made.rope_base))
    scores = torch.full((length, length), -torch.inf, dtype=torch.float64)
    for t in range(length):
        q = (wq @ x[t]).view(made.heads, made.head_dim)
        w = ww @ x[t] / math.sqrt(made.heads * made.head_dim)
        for s in range(t + 1):
            products = [turned(q[h], t, made.rope_dim, made.rope_base) @ keys[s] for h in range(made.heads)]
            scores[t, s] = sum(w[h] * max(0.0, products[h].item()) for h in range(made.heads))
    return scores


@pytest.mark.parametrize("changes", [{}, {"rope_dim": 0}, {"rope_dim": 8}, {"heads": 1, "head_dim": 1, "rope_dim": 0}])
@pytest.mark.parametrize("length", [1, 7])
def test_scores_are_equation_70(changes, length):
    made = indexer(**changes)
    x = torch.randn(1, length, 12, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(made(x)[0].double(), reference(made, x[0]), atol=1e-5, rtol=1e-5)


def test_texts_of_a_batch_do_not_meet():
    made, x = indexer(), torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(made(x)[1], made(x[1:])[0])


@pytest.mark.parametrize("kind", ROTATIONS)
@given(seed=st.integers(0, 20), dim=st.sampled_from([1, 2, 8, 32]))
def test_rotations_are_orthogonal_and_keep_every_score(kind, seed, dim):
    u = orthogonal(kind, dim, seed)
    torch.testing.assert_close(u @ u.T, torch.eye(dim), atol=1e-5, rtol=0)
    made, x = indexer(seed), torch.randn(1, 6, 12, generator=torch.Generator().manual_seed(seed))
    torch.testing.assert_close(made(x, orthogonal(kind, 8, seed)), made(x), atol=1e-4, rtol=1e-4)


def test_hadamard_has_entries_of_one_size_and_spreads_a_peak_evenly():
    u = orthogonal("hadamard", 32)
    torch.testing.assert_close(u.abs(), torch.full((32, 32), 32**-0.5))
    peak = torch.zeros(32)
    peak[5] = 3.0
    torch.testing.assert_close((u @ peak).abs(), torch.full((32,), 3 * 32**-0.5))


def test_a_seed_fixes_the_random_rotation():
    assert torch.equal(orthogonal("random", 8, 3), orthogonal("random", 8, 3))
    assert not torch.equal(orthogonal("random", 8, 3), orthogonal("random", 8, 4))


@pytest.mark.parametrize("seed", range(4))
def test_the_signs_of_a_random_rotation_are_those_of_a_positive_r(seed):
    """U' times the drawn matrix is triangular with a positive diagonal: of all signs, the ones that make U uniform."""
    drawn = torch.randn(8, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    r = orthogonal("random", 8, seed).double().T @ drawn
    assert (r.diagonal() > 0).all() and r.tril(-1).abs().max() < 1e-5


def test_one_indexer_for_each_layer():
    made = Indexers(config(n_layers=3))
    assert len(made) == 3 and not torch.equal(made[0].q.weight, made[1].q.weight)


@pytest.mark.parametrize(
    "change",
    [
        {"heads": 0},
        {"d_model": "12"},
        {"n_layers": True},
        {"rope_dim": 3},
        {"rope_dim": 10},
        {"rope_base": 1},
        {"rope_base": float("nan")},
        {"kind": "other"},
        {"teacher": None},
    ],
)
def test_impossible_configurations(change):
    with pytest.raises(BadConfig) as error:
        config(**change)
    assert next(iter(change)) in sentence(error)


@pytest.mark.parametrize("shape", [(5, 12), (1, 5, 11)])
def test_inputs_that_do_not_fit(shape):
    with pytest.raises(BadShape) as error:
        indexer()(torch.zeros(shape))
    assert "12" in sentence(error)


def test_rotations_that_do_not_exist():
    with pytest.raises(UnknownName) as error:
        orthogonal("sideways", 8)
    assert "hadamard" in sentence(error)
    with pytest.raises(BadShape) as error:
        orthogonal("hadamard", 12)
    assert "12" in sentence(error)
