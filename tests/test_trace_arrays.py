"""Traces of arrays from anywhere: equal to the model's own, to float64, and one sentence for each thing that does not
fit."""

import numpy as np
import pytest
import torch

import tlmviz
from tlmviz.errors import BadShape, UnknownName
from tlmviz.kernels import AttentionMask

from .tiny import TEXT, probabilities, sentence

PARTS = ("q", "k", "v", "lse")


def arrays(trace, *names):
    return {name: [trace[f"blocks.{i}.attn.{name}"][0] for i in range(trace.n_layers)] for name in names}


def rebuilt(trace, *names, **more):
    masks = [spec.mask for spec in trace.specs]
    given = {**arrays(trace, *names), "mask": masks, "scale": [spec.scale for spec in trace.specs], **more}
    return tlmviz.Trace.from_arrays(tokens=trace.tokens, ids=trace.ids, **given)


@pytest.fixture
def trace(variant):
    return variant.trace(TEXT)


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def tokens(n):
    return [f"t{i % 5}" for i in range(n)]


def example(layers=2, heads=4, groups=2, n=9, keys=None, dim=8):
    return random(layers, heads, n, dim), random(layers, groups, keys or n, dim, seed=1)


class TestOfAModelsOwnArrays:
    def test_maps_rows_and_statistics_are_equal(self, trace):
        again = rebuilt(trace, "q", "k", "v")
        for layer, head in np.ndindex(trace.n_layers, trace.n_heads):
            torch.testing.assert_close(again.attention(layer, head), trace.attention(layer, head))
        torch.testing.assert_close(again.row(-2), trace.row(-2))
        torch.testing.assert_close(again.overview(7), trace.overview(7))
        for name, values in trace.statistics().items():
            np.testing.assert_allclose(again.statistics()[name], values, rtol=1e-4, atol=1e-5)

    def test_a_given_lse_is_kept(self, trace):
        again = rebuilt(trace, *PARTS)
        assert torch.equal(again["blocks.0.attn.lse"], trace["blocks.0.attn.lse"])

    def test_logits_give_probabilities_and_losses(self, trace):
        again = rebuilt(trace, *PARTS, logits=trace.logits)
        torch.testing.assert_close(again.loss_per_token(), trace.loss_per_token())
        torch.testing.assert_close(again.probabilities(3), trace.probabilities(3))


class TestOfAnyArrays:
    @pytest.mark.parametrize("causal", [True, False])
    @pytest.mark.parametrize("kind", ["torch", "numpy", "lists", "batches of one"])
    def test_maps_are_softmax_of_the_products(self, causal, kind):
        q, k = example()
        forms = {
            "torch": lambda x: x,
            "numpy": lambda x: x.numpy(),
            "lists": list,
            "batches of one": lambda x: [part[None] for part in x],
        }
        trace = tlmviz.Trace.from_arrays(forms[kind](q), forms[kind](k), tokens(9), causal=causal)
        expected = probabilities(q, k, scale=8**-0.5, causal=causal)
        for layer, head in np.ndindex(2, 4):
            torch.testing.assert_close(
                trace.attention(layer, head).double(), expected[layer, head], atol=1e-5, rtol=1e-4
            )

    def test_layers_may_differ_in_dimension_groups_and_mask(self):
        q = [random(4, 9, 8), random(4, 9, 6), random(4, 9, 8)]
        k = [random(4, 9, 8, seed=1), random(2, 9, 6, seed=2), random(1, 9, 8, seed=3)]
        masks = [AttentionMask(window=3), AttentionMask(), AttentionMask(causal=False)]
        trace = tlmviz.Trace.from_arrays(q, k, tokens(9), mask=masks)
        for layer, mask in enumerate(masks):
            expected = probabilities(
                q[layer][None], k[layer][None], scale=q[layer].shape[-1] ** -0.5, causal=mask.causal, window=mask.window
            )[0]
            torch.testing.assert_close(trace.row(4)[layer].double(), expected[:, 4], atol=1e-5, rtol=1e-4)
        assert trace.overview(4).shape == (3, 4, 4, 4) and len(trace.head_statistics()) == 12

    def test_cross_attention_has_another_text_as_keys(self):
        q, k = example(keys=5)
        trace = tlmviz.Trace.from_arrays(q, k, tokens(9), key_tokens=list("abcde"))
        expected = probabilities(q, k, scale=8**-0.5, causal=False)
        assert trace.attention(1, 2).shape == (9, 5) and trace.key_tokens == list("abcde")
        torch.testing.assert_close(trace.row(3).double(), expected[:, :, 3], atol=1e-5, rtol=1e-4)
        tile = trace.attention(1, 2, cols=slice(1, 3)).double()
        torch.testing.assert_close(tile, expected[1, 2, :, 1:3], atol=1e-5, rtol=1e-4)
        assert trace.pooled(0, 1, size=3).max() == pytest.approx(expected[0, 1].max().item(), abs=1e-5)
        table = trace.head_statistics()
        assert table[["self", "previous", "induction", "distance"]].isna().all(axis=None)
        np.testing.assert_allclose(table["peak"], expected.amax(-1).mean(-1).flatten(), atol=1e-5)
        np.testing.assert_allclose(table["sink"], expected[..., 0].mean(-1).flatten(), atol=1e-5)

    def test_without_a_causal_mask_the_first_row_counts(self):
        q, k = example()
        expected = probabilities(q, k, scale=8**-0.5, causal=False)
        table = tlmviz.Trace.from_arrays(q, k, tokens(9), causal=False).head_statistics()
        np.testing.assert_allclose(table["peak"], expected.amax(-1).mean(-1).flatten(), atol=1e-5)

    def test_equal_tokens_count_as_repeated_without_ids(self):
        q, k = example()
        named = tlmviz.Trace.from_arrays(q, k, tokens(9))
        given = tlmviz.Trace.from_arrays(q, k, tokens(9), ids=[i % 5 + 70 for i in range(9)])
        np.testing.assert_allclose(named.statistics()["induction"], given.statistics()["induction"])
        assert not np.isnan(named.statistics()["induction"]).any()

    def test_half_precision_is_kept_as_it_is(self):
        q, k = example()
        trace = tlmviz.Trace.from_arrays(q.bfloat16(), k.bfloat16(), tokens(9))
        assert trace["blocks.0.attn.q"].dtype == torch.bfloat16
        torch.testing.assert_close(trace.attention(0, 0).sum(-1), torch.ones(9), atol=0.02, rtol=0)

    def test_one_token_is_enough(self):
        trace = tlmviz.Trace.from_arrays(random(1, 1, 1, 4), random(1, 1, 1, 4), ["a"])
        assert trace.attention(0, 0).item() == pytest.approx(1) and trace.statistics()["self"] == pytest.approx(1)


class TestWithoutANetwork:
    @pytest.mark.parametrize("ask", [lambda t: t["embed"], lambda t: t.logits, lambda t: t.tensors(["embed"])])
    def test_what_was_not_given_does_not_exist(self, ask):
        trace = tlmviz.Trace.from_arrays(*example(), tokens(9))
        with pytest.raises(UnknownName) as error:
            ask(trace)
        assert "no network behind it" in sentence(error) and "blocks.N.attn.q" in str(error.value)

    def test_says_who_made_it_and_where_the_tokens_stand(self):
        trace = tlmviz.Trace.from_arrays(*example(), tokens(9), made_by="my model", positions=range(3, 12))
        assert trace.made_by == "my model" and trace.positions == list(range(3, 12))


Q, K = example()
WRONG = {
    "batches": ((Q[:, None].expand(2, 2, 4, 9, 8), K, tokens(9)), {}, "give [H, T, D] for each layer"),
    "one layer only": ((Q[0], K[0], tokens(9)), {}, "give [H, T, D] for each layer"),
    "no layer": (([], [], tokens(9)), {}, "q is []"),
    "no query": ((Q[:, :, :0], K, []), {}, "no empty axis"),
    "whole numbers": ((Q.long(), K, tokens(9)), {}, "q holds int64"),
    "other layers": ((Q, K[:1], tokens(9)), {}, "q has 2 layers and k has 1"),
    "other dimensions": ((Q, K[..., :4], tokens(9)), {}, "do not fit"),
    "heads that are no multiple": ((Q[:, :3], K, tokens(9)), {}, "a multiple of the key heads"),
    "heads that differ": (([Q[0], Q[1, :2]], list(K), tokens(9)), {}, "every layer needs the same number"),
    "too few tokens": ((Q, K, tokens(8)), {}, "8 tokens and q has 9 queries"),
    "tokens that are ids": ((Q, K, range(9)), {}, "Each token must be a text"),
    "keys of another text": ((Q, K[:, :, :5], tokens(9)), {}, "key_tokens="),
    "too few key tokens": ((Q, K, tokens(9)), {"key_tokens": ["a"]}, "one key token per key"),
    "values of other keys": ((Q, K, tokens(9)), {"v": K[:, :, :5]}, "v [2, 5, 8] of layer 0"),
    "lse of other queries": ((Q, K, tokens(9)), {"lse": Q[:, :, :5, 0]}, "lse [4, 5] of layer 0"),
    "an lse to base 2": ((Q, K, tokens(9)), {"lse": 3 + Q[..., 0] * 0}, "is not that of q and k"),
    "a NaN": ((Q * torch.nan, K, tokens(9)), {}, "not finite"),
    "mask and parts": ((Q, K, tokens(9)), {"mask": AttentionMask(), "window": 3}, "put window into"),
    "masks for other layers": ((Q, K, tokens(9)), {"mask": [AttentionMask()]}, "2 layers and 1 masks"),
    "scales for other layers": ((Q, K, tokens(9)), {"scale": [1.0]}, "2 layers and 1 scales"),
    "slopes of other heads": ((Q, K, tokens(9)), {"slopes": torch.ones(3)}, "one number per query head"),
    "ids of another text": ((Q, K, tokens(9)), {"ids": [1]}, "1 ids"),
    "positions of another text": ((Q, K, tokens(9)), {"positions": [1]}, "1 positions"),
    "logits without ids": ((Q, K, tokens(9)), {"logits": random(9, 30)}, "give ids too"),
    "logits of another text": ((Q, K, tokens(9)), {"logits": random(8, 30)}, "must be [T, V]"),
    "ids beyond the logits": ((Q, K, tokens(9)), {"logits": random(9, 3), "ids": range(9)}, "ids go up to 8"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_said_in_a_sentence(name):
    given, more, expected = WRONG[name]
    with pytest.raises(BadShape) as error:
        tlmviz.Trace.from_arrays(*given, **more)
    assert expected in sentence(error)


def test_a_mask_has_no_other_parts():
    with pytest.raises(TypeError, match="widow"):
        tlmviz.Trace.from_arrays(Q, K, tokens(9), widow=3)


class TestMasks:
    @pytest.mark.parametrize("number", [torch.finfo(torch.float32).min, -1e9, -65504.0])
    def test_rows_that_finite_numbers_hide_are_uniform_also_from_a_file(self, tmp_path, number):
        """Left padding, as SDPA and eager attention are handed it."""
        q, k = torch.randn(2, 1, 2, 4, 8, generator=torch.Generator().manual_seed(0))
        seen = torch.ones(4, 4, dtype=torch.bool).tril()
        seen[:, :2] = False
        bias = torch.where(seen, 0.0, number)[None, None]
        trace = tlmviz.Trace.from_arrays(q, k, list("..ab"), mask=AttentionMask(causal=False, bias=bias))
        exact = ((q[0] * 8**-0.5) @ k[0].transpose(-1, -2) + bias[0]).softmax(-1)
        trace.save(tmp_path / "x.safetensors")
        again = tlmviz.Trace.from_arrays(q, k, list("..ab"), lse=trace["blocks.0.attn.lse"], mask=trace.specs[0].mask)
        for one in (trace, tlmviz.open(tmp_path / "x.safetensors"), again):
            torch.testing.assert_close(one.attentions(0), exact, atol=6e-3, rtol=0)
            torch.testing.assert_close(one.row(1)[0], exact[:, 1], atol=6e-3, rtol=0)
            assert one.head_statistics().distance.between(-2, 3).all()

    def test_a_large_lse_that_is_not_that_of_q_and_k_is_refused(self):
        q, k = torch.randn(2, 1, 2, 4, 8, generator=torch.Generator().manual_seed(0))
        bias = torch.full((1, 1, 4, 4), -1e9)
        with pytest.raises(BadShape, match="lse of layer 0 is not that of q and k") as error:
            tlmviz.Trace.from_arrays(q, k, list("abcd"), lse=torch.full((1, 2, 4), -1.1e9), causal=False, bias=bias)
        assert sentence(error)

    def test_boolean_ones_are_refused_with_a_remedy(self):
        q, k = torch.randn(2, 1, 2, 4, 8, generator=torch.Generator().manual_seed(0))
        seen = torch.ones(1, 1, 4, 4, dtype=torch.bool).tril()
        for options, words in (
            (dict(bias=seen, causal=False), "bias is a Tensor of bool"),
            (dict(mask=seen[0, 0]), "mask is a Tensor of bool"),
            (dict(mask=seen.numpy()), "mask is a ndarray of bool"),
            (dict(mask=[seen]), "mask is a Tensor of bool"),
            (dict(mask=True), "mask is a bool"),
        ):
            with pytest.raises(BadShape, match=words + r".*torch\.where\(seen, 0\.0, -torch\.inf\)") as error:
                tlmviz.Trace.from_arrays(q, k, list("abcd"), **options)
            assert sentence(error)
        mask = AttentionMask(causal=False, bias=torch.where(seen, 0.0, -torch.inf))
        found = tlmviz.Trace.from_arrays(q, k, list("abcd"), mask=mask)
        torch.testing.assert_close(found.attentions(0), tlmviz.Trace.from_arrays(q, k, list("abcd")).attentions(0))
