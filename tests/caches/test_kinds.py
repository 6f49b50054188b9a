"""Every kind of cache gives what the whole text gives."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tiny import network, sentence
from tlmviz import kernels
from tlmviz.caches import ContiguousCache, LatentCache, LayeredCache, SlidingCache
from tlmviz.errors import BadShape
from tlmviz.layers import NoPositions, RoPE
from tlmviz.tracing.trace import AttentionSpec

IDS = torch.randint(0, 50, (2, 23), generator=torch.Generator().manual_seed(0))
PIECES = [[23], [1] * 23, [9, 1, 1, 1, 11], [3, 20], [20, 1, 1, 1]]
MODELS = {
    "rope": {},
    "rope, grouped": dict(n_kv_heads=2),
    "rope, window": dict(window=5),
    "alibi, one key head": dict(positions="alibi", n_kv_heads=1),
    "learned": dict(positions="learned"),
    "relative": dict(positions="relative", relative_distance=6),
    "none": dict(positions="none"),
}


def in_pieces(model, cache, pieces, positions=None):
    return torch.cat([model(piece, cache, positions) for piece in IDS.split(pieces, 1)], 1)


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("rotated", [True, False])
@pytest.mark.parametrize("parts", MODELS, ids=str)
def test_cached_equals_full(parts, rotated, pieces):
    model = network(vocab_size=50, **MODELS[parts])
    caches = [model.new_cache(rotated), ContiguousCache(2, reserve=4, rotated=rotated)]
    if "window" not in MODELS[parts]:
        caches.append(SlidingCache(2, 40, rotated=rotated))
    for cache in caches:
        torch.testing.assert_close(in_pieces(model, cache, pieces), model(IDS), atol=1e-4, rtol=0)
        assert cache.length == 23


@pytest.mark.parametrize("rotated", [True, False])
def test_each_layer_keeps_what_its_own_window_needs(rotated):
    """A ring of 4 positions, and two buffers with room for 64."""
    model = network(vocab_size=50, n_layers=3, layers=({"window": 4}, {"window": None}, {"window": None}))
    cache = model.new_cache(rotated)
    torch.testing.assert_close(in_pieces(model, cache, [9, 5, *[1] * 9]), model(IDS), atol=1e-4, rtol=0)
    assert isinstance(cache, LayeredCache) and cache.length == 23
    line = 2 * 2 * model.config.n_kv_heads * model.config.head_dim * 4  # keys and values of two rows, in bytes
    assert cache.nbytes == (4 + 64 + 64) * line
    twin = cache.fork()
    twin.reorder(torch.tensor([1, 1]))
    new = IDS[:1, :1].expand(2, 1)
    torch.testing.assert_close(model(new, twin)[0], model(new, cache.fork())[1], atol=1e-4, rtol=0)


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("rotated", [True, False])
@pytest.mark.parametrize("absorbed", [True, False])
@pytest.mark.parametrize("positions, rope_dim", [("rope", 4), ("none", 0)])
def test_latent_equals_full(positions, rope_dim, absorbed, rotated, pieces):
    model = network(vocab_size=50, latent_dim=12, rope_dim=rope_dim, positions=positions)
    cache = LatentCache(2, reserve=23, rotated=rotated, absorbed=absorbed)
    torch.testing.assert_close(in_pieces(model, cache, pieces), model(IDS), atol=1e-4, rtol=0)
    assert cache.nbytes == 2 * 2 * 23 * (12 + rope_dim) * 4  # layers, rows, positions, numbers, bytes: nothing per head


def test_latent_attention_also_fits_a_cache_of_keys_and_values():
    """It then stores the latents as one key and, again, as one value per token."""
    model = network(vocab_size=50, latent_dim=12, rope_dim=4)
    cache = ContiguousCache(2)
    torch.testing.assert_close(in_pieces(model, cache, [9, 1, 13]), model(IDS), atol=1e-4, rtol=0)


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("rotated", [True, False])
def test_a_ring_is_a_sliding_window_and_holds_no_more(rotated, pieces):
    """A model without a window, read through a ring of 5, gives what the same weights give with a window of 5."""
    model, windowed = network(vocab_size=50), network(vocab_size=50, window=5)
    cache = SlidingCache(2, 5, rotated=rotated)
    torch.testing.assert_close(in_pieces(model, cache, pieces), windowed(IDS), atol=1e-4, rtol=0)
    assert cache.nbytes == 2 * 2 * (2 * 4 * 5 * 8) * 4  # layers, keys and values, rows x heads x ring x D, bytes


@pytest.mark.parametrize("pieces", PIECES, ids=str)
def test_sinks_stay_and_the_window_slides(pieces):
    """Against a mask over the whole text: the first two positions and the last four."""
    model = network(vocab_size=50, n_layers=1, positions="none")
    cache = SlidingCache(1, 4, sinks=2)
    found = in_pieces(model, cache, pieces)
    attn, x = model.blocks[0].attn, model.blocks[0].norm1(model.token_emb(IDS))
    q, k, v = attn.qkv(x).unflatten(-1, (12, 8)).transpose(1, 2).split(4, 1)
    back = torch.arange(23)[:, None] - torch.arange(23)
    seen = (back >= 0) & ((back < 4) | (torch.arange(23) < 2))
    z = (q @ k.mT / 8**0.5).masked_fill(~seen, -torch.inf).softmax(-1) @ v
    y = model.token_emb(IDS) + attn.proj(z.transpose(1, 2).flatten(2))
    wanted = model.head(model.norm(y + model.blocks[0].mlp(model.blocks[0].norm2(y))))
    torch.testing.assert_close(found, wanted, atol=1e-4, rtol=0)


def test_sinks_with_unrotated_keys_count_places_in_the_cache():
    """No position passes the cache's size, and while nothing was dropped the places are the positions."""
    model = network(vocab_size=50)
    cache = SlidingCache(2, 4, sinks=2, rotated=False)
    seen = []
    for piece in IDS.split(1, 1):
        seen.append(int(cache.position_ids(1)))
        last = model(piece, cache)
        if cache.length == 6:
            torch.testing.assert_close(last[:, 0], model(IDS[:, :6])[:, -1], atol=1e-4, rtol=0)
    assert seen == [0, 1, 2, 3, 4, 5] + [5] * 17
    # the same kept tokens read afresh as a text of six: one layer's keys do not depend on what was dropped
    single = network(vocab_size=50, n_layers=1)
    cache = SlidingCache(1, 4, sinks=2, rotated=False)
    stepped = in_pieces(single, cache, [1] * 23)[:, -1]
    kept = torch.cat((IDS[:, :2], IDS[:, -4:]), 1)
    torch.testing.assert_close(stepped, single(kept)[:, -1], atol=1e-4, rtol=0)


@pytest.mark.parametrize("positions", [RoPE(8, 500.0), NoPositions()], ids=["base", "none"])
def test_unrotated_keys_can_be_read_under_another_rope(positions):
    """The change in mid-text: with unrotated keys the last step is what one layer gives for the whole text anew."""
    model = network(vocab_size=50, n_layers=1)
    whole = model(IDS, positions=positions)[:, -1]
    last = {}
    for rotated in (True, False):
        cache = ContiguousCache(1, rotated=rotated)
        model(IDS[:, :-1], cache)
        last[rotated] = model(IDS[:, -1:], cache, positions)[:, -1]
    torch.testing.assert_close(last[False], whole, atol=1e-4, rtol=0)
    assert (last[True] - whole).abs().max() > 0.01


@pytest.mark.parametrize("window, sinks", [(0, 0), (-1, 2), (4, -1)])
def test_rings_of_no_size_are_refused(window, sinks):
    with pytest.raises(BadShape) as error:
        SlidingCache(2, window, sinks)
    sentence(error)


def test_sinks_refuse_biases_by_distance():
    model = network(vocab_size=50, positions="alibi")
    with pytest.raises(BadShape) as error:
        model(IDS, SlidingCache(2, 4, sinks=1))
    assert "ALiBi" in sentence(error)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=6), st.integers(1, 9), st.booleans())
def test_rings_forget_nothing_they_should_keep(pieces, window, rotated):
    """Whatever the pieces, a ring gives the window's sums: keys and values are drawn, no network is involved."""
    total = sum(pieces)
    q, k, v = torch.randn(3, 1, 2, total, 4, generator=torch.Generator().manual_seed(total))
    wanted, lse = kernels.attention(q, k, v, window=window)
    cache, spec = SlidingCache(1, window, rotated=rotated), AttentionSpec(4**-0.5)
    parts = [part.split(pieces, 2) for part in (q, k, v)]
    steps = [cache.attend(0, *piece, spec, lambda keys, where: keys) for piece in zip(*parts)]
    torch.testing.assert_close(torch.cat([out for out, _ in steps], 2), wanted, atol=1e-5, rtol=0)
    torch.testing.assert_close(torch.cat([part for _, part in steps], 2), lse, atol=1e-5, rtol=0)
