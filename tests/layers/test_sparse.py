"""Sparse patterns against their definitions cell by cell, and attention under them against dense float64."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz import kernels
from tlmviz.errors import BadShape
from tlmviz.layers import sparse
from tlmviz.layers.sparse import BigBird, Blocks, Dilated, Hashed, Longformer, SparsePattern, Strided, Window, attend

PATTERNS = {  # whether a query at t sees a key at s <= t
    SparsePattern(): lambda t, s: True,
    Window(5): lambda t, s: t - s < 5,
    Blocks(4): lambda t, s: t // 4 == s // 4,
    Longformer(3, 2): lambda t, s: t - s < 3 or s < 2,
    Strided(4): lambda t, s: t - s < 4 or (t - s) % 4 == 0,
    Dilated(3, 2): lambda t, s: (t - s) in (0, 2, 4),
}
EVERY = [*PATTERNS, BigBird(3, 2, 2, 1), Hashed(4, 2, 1), Hashed(1, 1), Hashed(2, 1)]


def qkv(length, heads=4, groups=2, width=8, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(1, h, length, width, generator=generator) for h in (heads, groups, groups))


def dense(mask, q, k):
    """[H or 1, T, T] in one piece."""
    every = torch.arange(q.shape[2])
    cells = mask.on(q, k)(every, every)
    return cells if cells.ndim == 3 else cells[None]


@pytest.mark.parametrize("mask", PATTERNS, ids=repr)
def test_a_pattern_is_its_definition(mask):
    q, k, _ = qkv(23)
    expected = torch.tensor([[s <= t and PATTERNS[mask](t, s) for s in range(23)] for t in range(23)])
    assert torch.equal(dense(mask, q, k)[0], expected)


@pytest.mark.parametrize("mask", [*PATTERNS, Longformer(2, 9), Longformer(30, 3), Dilated(50, 4)], ids=repr)
@pytest.mark.parametrize("window", [None, 1, 2, 5, 40])
def test_the_keys_a_query_sees_by_formula_are_those_counted(mask, window):
    q, k, _ = qkv(23)
    at = torch.arange(23)
    reach = at + 1 if window is None else (at + 1).clamp(max=window)
    within = at[:, None] - at < reach[:, None]
    assert torch.equal(mask.seen(at, reach), (dense(mask, q, k)[0] & within).sum(-1))


@pytest.mark.parametrize("mask", EVERY[len(PATTERNS) :], ids=repr)
def test_there_is_no_formula_for_what_text_or_chance_decide(mask):
    assert mask.seen(torch.arange(5), torch.arange(5) + 1) is None


@pytest.mark.parametrize("mask", EVERY, ids=repr)
def test_every_query_sees_itself_and_no_future(mask):
    q, k, _ = qkv(19)
    cells = dense(mask, q, k)
    assert cells.diagonal(dim1=1, dim2=2).all() and not cells.triu(1).any()


@pytest.mark.parametrize("mask", EVERY, ids=repr)
@given(rows=st.lists(st.integers(0, 18), min_size=1, max_size=6), start=st.integers(0, 18), size=st.integers(1, 10))
def test_a_tile_is_a_part_of_the_whole(mask, rows, start, size):
    q, k, _ = qkv(19)
    rows, cols = torch.tensor(rows), torch.arange(start, min(19, start + size))
    tile = mask.on(q, k)(rows, cols)
    assert torch.equal(tile if tile.ndim == 3 else tile[None], dense(mask, q, k)[:, rows][..., cols])


@pytest.mark.parametrize("mask", EVERY, ids=repr)
@pytest.mark.parametrize("length", [1, 2, 17])
@pytest.mark.parametrize("strip", [1, 50, 2**21])
def test_attention_under_a_mask_is_the_dense_softmax(monkeypatch, mask, length, strip):
    monkeypatch.setattr(sparse, "STRIP", strip)
    q, k, v = qkv(length)
    out, lse, seen = attend(q, k, v, mask)
    hidden = ~dense(mask, q, k)
    scores = tiny.scores(q, k).masked_fill(hidden, -torch.inf)
    expected = scores.softmax(-1) @ v.double().repeat_interleave(2, 1)
    torch.testing.assert_close(out.double(), expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), atol=1e-5, rtol=1e-5)
    assert torch.equal(seen, (~hidden).sum(-1).float().expand(4, -1))


@given(
    length=st.integers(1, 40),
    window=st.integers(1, 50),
    step=st.integers(1, 7),
    slopes=st.booleans(),
    own=st.none() | st.integers(1, 9),
    distances=st.none() | st.integers(1, 9),
)
def test_windows_rows_and_the_models_own_bias(length, window, step, slopes, own, distances):
    q, k, v = qkv(length)
    spec = dict(window=own, slopes=torch.tensor([0.5, 0.25, 0.1, 0.0]) if slopes else None)
    spec["relative"] = None if distances is None else torch.randn(distances, q.shape[-1])
    rows = slice((length - 1) % step, None, step)
    out, lse, _ = attend(q, k, v, Window(window), rows, **spec)
    both = window if own is None else min(own, window)
    expected = kernels.attention(q.double(), k.double(), v.double(), **spec | dict(window=both))
    torch.testing.assert_close(out.double(), expected[0][:, :, rows], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(lse.double(), expected[1][:, :, rows], atol=1e-5, rtol=1e-5)


def test_caches_hold_what_later_queries_may_ask_for():
    """Dropping all but the `cached` keys (a window keeps the last, Longformer the first too) hides none that is
    seen."""
    for mask in (Window(5), Blocks(4), Longformer(3, 2), Dilated(3, 2)):
        q, k, _ = qkv(40)
        seen_later = dense(mask, q, k)[0, 20:, :21].any(0).sum()
        assert seen_later <= mask.cached(21) <= 21
        assert mask.cached(1) == 1 and mask.cached(10**6) < 20
    for mask in (SparsePattern(), BigBird(), Strided(), Hashed()):
        assert mask.cached(1000) == 1000


def test_random_patterns_repeat_with_their_seed_and_change_with_it():
    q, k, _ = qkv(64)
    for kind, sizes in ((BigBird, (3, 2, 2)), (Hashed, (8, 1))):
        first, again, other = (dense(kind(*sizes, seed), q, k) for seed in (0, 0, 1))
        assert torch.equal(first, again) and not torch.equal(first, other)


def test_lsh_groups_equal_directions_whatever_their_length():
    q, k, _ = qkv(12, groups=4)
    cells = dense(Hashed(16, 1), q, q * torch.rand(1, 4, 12, 1) + 0.1 * q)
    assert cells.diagonal(dim1=1, dim2=2).all()
    same = dense(Hashed(16, 1), q[:, :, :1].expand_as(q), 3 * q[:, :, :1].expand_as(q))
    assert same.tril().sum() == 4 * 12 * 13 / 2


@pytest.mark.parametrize(
    "make", [lambda: Window(0), lambda: Longformer(5, 0), lambda: Hashed(0), lambda: BigBird(seed=-1)]
)
def test_empty_patterns_are_refused_in_a_sentence(make):
    with pytest.raises(BadShape) as error:
        make()
    assert "give" in tiny.sentence(error)
