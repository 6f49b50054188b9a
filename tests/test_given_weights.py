"""`tlmviz.show`: weights that other code computed give the same pictures and statistics as the trace they come from."""

import numpy as np
import pytest
import torch

import tlmviz
from tlmviz.errors import BadShape, UnknownName

from .test_trace_arrays import example, tokens
from .tiny import TEXT, sentence


@pytest.fixture
def trace(variant):
    return variant.trace(TEXT)


def weights(trace):
    """What a model returns as `attentions`: a tuple of [1, H, T, S]."""
    return tuple(
        torch.stack([trace.attention(layer, head) for head in range(trace.n_heads)])[None]
        for layer in range(trace.n_layers)
    )


def _equal_statistics(shown, trace):
    """All but the largest logit, which weights do not tell."""
    expected = trace.statistics()
    found = shown.statistics()
    assert found.keys() == expected.keys() and np.isnan(found.pop("max_logit")).all()
    for name, values in found.items():
        np.testing.assert_allclose(values, expected[name], rtol=1e-4, atol=1e-5)


def test_everything_is_as_in_the_trace(trace):
    given = weights(trace)
    shown = tlmviz.show(given, trace.tokens)
    assert (shown.n_layers, shown.n_heads, len(shown)) == (trace.n_layers, trace.n_heads, len(trace))
    for layer, head in np.ndindex(trace.n_layers, trace.n_heads):
        assert torch.equal(shown.attention(layer, head), given[layer][0, head])
    assert torch.equal(shown.attentions(1, slice(1, 3)), given[1][0, 1:3])
    tile = shown.attention(1, 0, rows=slice(2, 5), cols=slice(1, 3))
    assert torch.equal(tile, trace.attention(1, 0)[2:5, 1:3])
    torch.testing.assert_close(shown.row(-2), trace.row(-2))
    _equal_statistics(shown, trace)
    assert shown.remarks == [] and shown.specs[0].mask.causal


@pytest.mark.parametrize("reduce", ["max", "mean", "sum"])
@pytest.mark.parametrize("size", [1, 5, 64])
def test_pictures_have_the_bins_of_the_kernels(trace, reduce, size):
    shown = tlmviz.show(weights(trace), trace.tokens)
    torch.testing.assert_close(shown.overview(size, reduce), trace.overview(size, reduce))
    torch.testing.assert_close(shown.pooled(1, 1, size, reduce), trace.pooled(1, 1, size, reduce))


def test_cross_attention():
    q, k = example(keys=5)
    trace = tlmviz.Trace.from_arrays(q, k, tokens(9), key_tokens=list("abcde"))
    shown = tlmviz.show(weights(trace), tokens(9), key_tokens=list("abcde"))
    torch.testing.assert_close(shown.overview(4), trace.overview(4))
    _equal_statistics(shown, trace)


def test_an_encoder_is_not_causal():
    trace = tlmviz.Trace.from_arrays(*example(), tokens(9), causal=False)
    shown = tlmviz.show(weights(trace), tokens(9))
    assert not shown.specs[0].mask.causal
    np.testing.assert_allclose(shown.statistics()["distance"], trace.statistics()["distance"], atol=1e-5)


def test_rows_that_do_not_sum_to_one_are_said():
    given = torch.full((1, 2, 3, 3), 1 / 3)
    given[0, 1, 2] = 0.4
    shown = tlmviz.show([given, given * 2], ["a", "b", "c"])
    assert shown.remarks == ["7 of 12 rows do not sum to 1, the first: L0H1, row 2 sums to 1.2."]


def test_sixteen_bits_are_given_their_rounding():
    given = torch.rand(2, 40, 40).softmax(-1)
    assert tlmviz.show([given.bfloat16(), given.bfloat16()], tokens(40)).remarks == []


def test_arrays_of_numpy_are_taken():
    given = np.full((2, 3, 3), 1 / 3)
    assert tlmviz.show([given], ["a", "b", "c"]).attention(0, 1).sum() == pytest.approx(3)


@pytest.mark.parametrize(
    "ask", [lambda t: t.scores(0, 0), lambda t: t.qk(0, 0), lambda t: t.logits, lambda t: t.attention(0, 9)]
)
def test_what_needs_q_and_k_does_not_exist(ask):
    shown = tlmviz.show([torch.full((2, 3, 3), 1 / 3)], ["a", "b", "c"])
    with pytest.raises(UnknownName) as error:
        ask(shown)
    sentence(error)


def test_there_is_nothing_to_save(tmp_path):
    with pytest.raises(UnknownName) as error:
        tlmviz.show([torch.full((2, 3, 3), 1 / 3)], ["a", "b", "c"]).save(tmp_path / "x.safetensors")
    assert "blocks.N.attn.weights" in sentence(error)


GOOD = torch.full((1, 2, 3, 3), 1 / 3)
WRONG = {
    "nothing": ([], "attentions is empty"),
    "a fused kernel": ([None], "attn_implementation='eager'"),
    "two texts": ([GOOD.expand(2, 2, 3, 3)], "give [1, H, T, S] of one text"),
    "no heads": ([GOOD[0, 0]], "give [1, H, T, S] of one text"),
    "scores": ([GOOD - 1], "negative or not finite"),
    "NaN": ([GOOD * torch.nan], "negative or not finite"),
    "other tokens": ([GOOD[:, :, :2, :2]], "key_tokens="),
    "other heads": ([GOOD, GOOD[:, :1]], "attentions of layer 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_said_in_a_sentence(name):
    given, expected = WRONG[name]
    with pytest.raises(BadShape) as error:
        tlmviz.show(given, ["a", "b", "c"])
    assert expected in sentence(error)
