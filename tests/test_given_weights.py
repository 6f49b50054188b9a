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


class TestGenerations:
    """What `generate` returns: a tuple of layers for each step."""

    def generated(self, name, **options):
        from .watching.families import FAMILIES, FED

        model = FAMILIES[name].make(attn_implementation="eager")
        inputs = FED[FAMILIES[name].fed](model)
        inputs = {key: value[:1] for key, value in inputs.items() if key != "decoder_input_ids"}
        options = dict(max_new_tokens=5, min_new_tokens=5, do_sample=False) | options
        return (
            model,
            inputs,
            model.generate(**inputs, **options, output_attentions=True, return_dict_in_generate=True),
        )

    def test_of_a_decoder(self):
        model, _, out = self.generated("llama")
        read = out.sequences[:, :-1]
        with torch.no_grad():
            whole = model(read, output_attentions=True, use_cache=False).attentions
        names = [str(number) for number in read[0].tolist()]
        shown, exact = tlmviz.show(out.attentions, names), tlmviz.show(whole, names)
        for layer in range(2):
            torch.testing.assert_close(shown.attentions(layer), exact.attentions(layer), atol=1e-5, rtol=0)
        assert shown.specs[0].mask.causal and not shown.remarks

    def test_of_an_encoder_decoder(self):
        model, inputs, out = self.generated("t5")
        read = out.sequences[:, :-1]
        with torch.no_grad():
            whole = model(**inputs, decoder_input_ids=read, output_attentions=True)
        names = [str(number) for number in read[0].tolist()]
        source = [str(number) for number in inputs["input_ids"][0].tolist()]
        for part, tokens_, keys in (
            ("cross_attentions", names, source),
            ("decoder_attentions", names, None),
            ("encoder_attentions", source, None),
        ):
            shown = tlmviz.show(out[part], tokens_, key_tokens=keys)
            exact = tlmviz.show(whole[part], tokens_, key_tokens=keys)
            torch.testing.assert_close(shown.attentions(1), exact.attentions(1), atol=1e-5, rtol=0)
        with pytest.raises(BadShape, match="key_tokens=") as error:
            tlmviz.show(out.cross_attentions, names)
        assert sentence(error)

    def test_of_beams_and_of_windows_are_refused(self):
        for name, options, words in (
            ("t5", dict(num_beams=3), "of one text"),
            ("mistral", {}, "step .* have 4 keys, where .* were read"),
        ):
            _, _, out = self.generated(name, **options)
            given = out["cross_attentions" if name == "t5" else "attentions"]
            with pytest.raises(BadShape, match=words) as error:
                tlmviz.show(given, ["a"] * 5, key_tokens=["b"] * 12 if name == "t5" else None)
            assert sentence(error)

    def test_what_holds_no_weights_is_refused(self, trace):
        given = weights(trace)
        fused = [(None,) * len(given)] * 3
        for wrong, words in (
            (None, "attentions is None"),
            ({"attentions": given}, "attentions is a dict"),
            (fused, "attn_implementation='eager'"),
            ([given, given[0]], "mix layers and steps"),
            (["a"], "is a str; give a tensor"),
            ([[given]], "is a list; give a tensor"),
        ):
            with pytest.raises(BadShape, match=words) as error:
                tlmviz.show(wrong, trace.tokens)
            assert sentence(error)
