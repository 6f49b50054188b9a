"""Methods in place of the softmax: their measures against whole maps, and real passes with them swapped in."""

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.kernels.sparse_methods import cost, mean_loss, measure, picture, swap
from tlmviz.errors import BadText
from tlmviz.layers.linear import Elu, Performer
from tlmviz.layers.sparse import BigBird, Blocks, Dilated, Hashed, Longformer, SparsePattern, Strided, Window

PATTERNS = [
    SparsePattern(),
    Window(7),
    Blocks(8),
    Longformer(5, 2),
    BigBird(5, 2, 3),
    Strided(6),
    Dilated(4, 3),
    Hashed(4, 1),
]
METHODS = [*PATTERNS, Elu(), Performer(16)]
LENGTH = 60


@pytest.fixture(scope="module")
def trace(variant):
    return variant.trace_ids([(5 * i * i + i) % 300 for i in range(LENGTH)])


@pytest.mark.parametrize("method", PATTERNS, ids=repr)
def test_a_mask_covers_the_mass_of_its_cells(trace, method):
    q, k = trace["blocks.1.attn.q"], trace["blocks.1.attn.k"]
    every = torch.arange(LENGTH)
    cells = method.on(q, k)(every, every).expand(4, -1, -1)
    p = torch.stack([trace.attention(1, head) for head in range(4)]).double()
    found = measure(trace, 1, method)
    np.testing.assert_allclose(found.mass, (p * cells).sum(-1).mean(-1), atol=1e-5)
    v = trace["blocks.1.attn.v"][0].double()
    v = v.repeat_interleave(4 // v.shape[0], 0)
    kept = (p * cells) / (p * cells).sum(-1, keepdim=True)
    error = (kept @ v - p @ v).flatten(1).norm(dim=-1) / (p @ v).flatten(1).norm(dim=-1)
    np.testing.assert_allclose(found.error, error, atol=1e-4)


@pytest.mark.parametrize("method", [Elu(), Performer(16)], ids=repr)
def test_linear_attention_shares_the_smaller_of_both_weights(trace, method):
    q, k = trace["blocks.0.attn.q"], trace["blocks.0.attn.k"]
    k = k.repeat_interleave(4 // k.shape[1], 1)
    phi_q, phi_k = method.features(q, k, trace.specs[0].scale)
    weights = (phi_q @ phi_k.transpose(-1, -2)).tril()[0]
    weights = weights / weights.sum(-1, keepdim=True)
    p = torch.stack([trace.attention(0, head) for head in range(4)])
    np.testing.assert_allclose(measure(trace, 0, method).mass, torch.minimum(p, weights).sum(-1).mean(-1), atol=1e-4)


def test_measures_of_some_rows_are_of_those_rows(trace):
    rows = slice(4, None, 5)
    found = measure(trace, 0, Window(7), rows)
    p = trace.attention(0, 1)
    back = torch.arange(LENGTH)[:, None] - torch.arange(LENGTH)
    assert found.queries == 12
    assert found.mass[1] == pytest.approx((p * (back < 7))[rows].sum(-1).mean().item(), abs=1e-5)


def test_the_full_mask_swapped_in_changes_nothing(variant):
    ids = [(5 * i) % 300 for i in range(40)]
    assert mean_loss(variant, ids, SparsePattern()) == pytest.approx(mean_loss(variant, ids), abs=1e-5)
    assert mean_loss(variant, ids, Window(500)) == pytest.approx(mean_loss(variant, ids), abs=1e-5)


def test_a_window_swapped_in_is_a_model_with_that_window(tokenizer):
    plain, narrow = tiny.language_model(tokenizer), tiny.language_model(tokenizer, window=6)
    ids = [(5 * i * i) % 300 for i in range(50)]
    assert mean_loss(plain, ids, Window(6)) == pytest.approx(mean_loss(narrow, ids), abs=1e-5)
    assert mean_loss(plain, ids, Window(6)) != pytest.approx(mean_loss(plain, ids), abs=1e-3)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_method_can_be_swapped_in(variant, method):
    assert np.isfinite(mean_loss(variant, [(3 * i) % 300 for i in range(30)], method))
    assert set(swap(method, variant.network.specs())) <= variant.network.tap_names()


def test_one_token_has_no_loss(lm):
    with pytest.raises(BadText) as error:
        mean_loss(lm, [5])
    tiny.sentence(error)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("length", [1, 2, LENGTH])
def test_pictures_show_the_pattern(lm, method, length):
    trace = lm.trace_ids([(3 * i) % 300 for i in range(length)])
    drawn = picture(trace, 0, method, size=12)
    assert drawn.shape == (4, min(12, length), min(12, length)) and (drawn >= 0).all() and (drawn <= 1 + 1e-6).all()
    assert np.triu(drawn[0], 1).max(initial=0) == 0
    if length == LENGTH and not isinstance(method, (Elu, Performer)):
        every = torch.arange(length)
        cells = method.on(trace["blocks.0.attn.q"], trace["blocks.0.attn.k"])(every, every).expand(4, -1, -1).float()
        np.testing.assert_allclose(drawn, cells.reshape(4, 12, 5, 12, 5).mean((2, 4)), atol=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_keys_and_operations_do_not_depend_on_which_queries_are_read(trace, method):
    """Those of a fixed mask are exact; what text or chance decide is counted where it was read."""
    whole, part = measure(trace, 0, method), measure(trace, 0, method, slice(4, None, 5))
    random = isinstance(method, (BigBird, Hashed))
    assert whole.counted == part.counted == (not random)
    if not random:
        assert part.seen == whole.seen
    if isinstance(method, SparsePattern):
        q, k, every = trace["blocks.0.attn.q"], trace["blocks.0.attn.k"], torch.arange(LENGTH)
        window = trace.specs[0].mask.window or LENGTH
        cells = method.on(q, k)(every, every) & (every[:, None] - every < window)
        assert whole.seen == pytest.approx(cells.float().sum(-1).mean().item(), rel=1e-6)


def test_full_attention_sees_half_of_a_long_text(lm):
    """Half and half a key, however few of its queries are read."""
    trace = lm.trace_ids([5] * 1200)
    found = measure(trace, 0, SparsePattern())
    assert found.queries < 1200 and found.seen == 600.5


def test_costs():
    full = cost(SparsePattern(), seen=50.5, length=100, width=32)
    assert full.flops == 100 * 4 * 32 * 50.5 and full.keys == 100 and full.cached == 2 * 32 * 100
    assert cost(Window(8), 7.7, 100, 32).cached == 2 * 32 * 8
    for method, m in ((Elu(), 32), (Performer(64), 64)):
        one, other = (cost(method, length, length, 32) for length in (100, 1000))
        assert one.cached == other.cached == m * 33 and one.keys is None
        assert other.flops == 10 * one.flops
