"""Edits of a pass, against the same computed by hand from the tensors of an unedited one."""

import numpy as np
import pandas as pd
import pytest
import torch

from tests import tiny
from tests.tiny import TEXT, sentence
from tlmviz.analysis.attention import interventions as edits
from tlmviz.errors import BadShape, UnknownName


def close(found, wanted, atol=1e-5):
    torch.testing.assert_close(found, wanted, atol=atol, rtol=0)


def after_attention(lm, trace, layer, z):
    """A block's attention output for given head outputs z."""
    return lm.network.blocks[layer].attn.proj(z.transpose(1, 2).flatten(2))


class TestMute:
    @pytest.mark.parametrize("how", ["zero", "mean"])
    @torch.inference_mode()
    def test_only_the_chosen_heads_fall_silent(self, variant, how):
        plain = variant.trace(TEXT)
        muted = variant.trace(TEXT, edit=edits.mute_heads([(1, 2), (1, 0)], how))
        z = plain["blocks.1.attn.z"].clone()
        z[:, [0, 2]] = 0.0 if how == "zero" else z[:, [0, 2]].mean(2, keepdim=True)
        close(muted["blocks.1.attn.z"], z)
        close(muted["blocks.1.attn.out"], after_attention(variant, plain, 1, z))
        assert torch.equal(muted["blocks.1.resid_pre"], plain["blocks.1.resid_pre"])
        assert (muted.logits - plain.logits).abs().max() > 1e-3

    def test_layers_are_muted_together(self, lm):
        muted = lm.trace(TEXT, edit=edits.mute_heads([(0, 1), (1, 3)]))
        assert (muted["blocks.0.attn.z"][:, 1] == 0).all() and (muted["blocks.1.attn.z"][:, 3] == 0).all()
        assert (muted["blocks.0.attn.z"][:, 3] != 0).any()

    def test_no_heads_change_nothing(self, lm):
        assert edits.mute_heads([]) == {}

    @pytest.mark.parametrize("heads", [[(0, 4)], [(0, -1)], [(0, 1), (0, -1)]])
    def test_unknown_heads_are_named(self, lm, heads):
        with pytest.raises(UnknownName) as error:
            lm.trace(TEXT, edit=edits.mute_heads(heads))
        assert f"head {heads[-1][1]}" in sentence(error)

    def test_unknown_layers_and_ways_are_refused(self, lm):
        with pytest.raises(UnknownName, match="blocks.5.attn.z"):
            lm.trace(TEXT, edit=edits.mute_heads([(5, 0)]))
        with pytest.raises(UnknownName, match="median"):
            edits.mute_heads([(0, 0)], "median")


class TestReplaceRow:
    @torch.inference_mode()
    def test_the_query_attends_as_told(self, variant):
        plain = variant.trace(TEXT)
        weights = torch.zeros(len(plain))
        weights[[0, 3]] = torch.tensor([0.25, 0.75])
        trace = variant.trace(TEXT, edit=edits.replace_row(0, 3, 6, weights))
        v, z = plain["blocks.0.attn.v"], plain["blocks.0.attn.z"].clone()
        group = 3 * v.shape[1] // 4
        z[:, 3, 6] = 0.25 * v[:, group, 0] + 0.75 * v[:, group, 3]
        close(trace["blocks.0.attn.z"], z)
        close(trace.logits[:6], plain.logits[:6])
        assert (trace.logits[6] - plain.logits[6]).abs().max() > 1e-4

    def test_a_rows_own_weights_change_nothing(self, variant):
        plain = variant.trace(TEXT)
        trace = variant.trace(TEXT, edit=edits.replace_row(1, 2, 5, plain.attention(1, 2)[5]))
        close(trace.logits, plain.logits, 1e-4)

    @pytest.mark.parametrize("reduce", ["max", "mean", "sum"])
    @pytest.mark.parametrize("size", [3, 8, 64])
    def test_pictures_and_statistics_show_the_replaced_row(self, variant, size, reduce):
        """Pooled from the exact map, and with the row's own weights nothing but rounding changes."""
        plain = variant.trace(TEXT)
        length = len(plain)
        weights = torch.zeros(length)
        weights[0], weights[3] = 0.25, 0.75
        trace = variant.trace(TEXT, edit=edits.replace_row(1, 2, 5, weights))
        p, n = trace.attention(1, 2), size
        edges = [(i * length // n, -(-(i + 1) * length // n)) for i in range(n)]
        pool = {"max": torch.amax, "mean": torch.mean, "sum": torch.sum}[reduce]
        expected = torch.stack([torch.stack([pool(p[a:b, c:d], (0, 1)) for c, d in edges]) for a, b in edges])
        close(trace.pooled(1, 2, n, reduce), expected)
        close(trace.overview(n, reduce)[1, 2], expected)
        row = {"entropy": 0.811278, "peak": 0.75, "sink": 0.25, "distance": 0.25 * 5 + 0.75 * 2}
        own = variant.trace(TEXT, edit=edits.replace_row(1, 2, 5, plain.attention(1, 2)[5]))
        one, many = trace.head_statistics(), plain.head_statistics()
        pd.testing.assert_frame_equal(own.head_statistics(), many, atol=1e-4, rtol=1e-4)
        line = (many["layer"] == 1) & (many["head"] == 2)
        before = plain.attention(1, 2)[5]
        bits = -torch.xlogy(before, before).sum().item() / np.log(2)
        change = (one[line] - many[line])["entropy"].item() * (length - 1)
        assert abs(change - (row["entropy"] - bits)) < 1e-3
        change = (one[line] - many[line])["peak"].item() * (length - 1)
        assert abs(change - (row["peak"] - before.amax().item())) < 1e-3

    def test_the_values_need_not_be_kept(self, lm):
        weights = torch.full((len(lm.encode(TEXT)),), 1 / len(lm.encode(TEXT)))
        edit = edits.replace_row(0, 0, 3, weights)
        kept = lm.trace(TEXT, edit=edit).logits
        assert torch.equal(lm.trace(TEXT, edit=edit, keep=lambda name: name == "logits").logits, kept)

    @pytest.mark.parametrize("weights", [[0.5, 0.4], [1.5, -0.5], [[1.0]], [float("nan")], []])
    def test_weights_must_be_a_distribution(self, weights):
        with pytest.raises(BadShape) as error:
            edits.replace_row(0, 0, 1, torch.tensor(weights))
        sentence(error)

    def test_weights_must_fit_the_text(self, lm):
        with pytest.raises(BadShape) as error:
            lm.trace(TEXT, edit=edits.replace_row(0, 0, 1, torch.tensor([1.0])))
        assert "1 weights" in sentence(error) and f"{len(lm.encode(TEXT))} tokens" in str(error.value)

    @pytest.mark.parametrize("head, row", [(4, 0), (-1, 0), (0, 999), (0, -1)])
    def test_unknown_heads_and_rows_are_refused(self, lm, head, row):
        weights = torch.eye(len(lm.encode(TEXT)))[0]
        with pytest.raises(UnknownName) as error:
            lm.trace(TEXT, edit=edits.replace_row(0, head, row, weights))
        sentence(error)


class TestPatch:
    @pytest.fixture
    def runs(self, variant):
        one = variant.trace(TEXT)
        ids = list(one.ids)
        ids[4], ids[7] = (ids[4] + 3) % 300, (ids[7] + 5) % 300
        other = variant.trace_ids(ids)
        assert (one.logits[4:] - other.logits[4:]).abs().max() > 1e-3
        return variant, one, other

    def test_from_itself_changes_nothing(self, runs):
        variant, one, _ = runs
        for name in sorted(one.tap_names):
            close(variant.trace_ids(one.ids, edit=edits.patch(name, one)).logits, one.logits)

    def test_everything_from_another_run_gives_that_runs_logits(self, runs):
        variant, one, other = runs
        everything = edits.combine(*(edits.patch(name, other) for name in sorted(one.tap_names)))
        close(variant.trace_ids(one.ids, edit=everything).logits, other.logits)

    @pytest.mark.parametrize("name", ["embed", "blocks.0.resid_post", "blocks.1.resid_post"])
    def test_the_whole_stream_from_another_run_gives_that_runs_logits(self, runs, name):
        variant, one, other = runs
        close(variant.trace_ids(one.ids, edit=edits.patch(name, other)).logits, other.logits)

    def test_some_positions_of_the_stream(self, runs):
        variant, one, other = runs
        last = slice(-1, None)
        patched = variant.trace_ids(one.ids, edit=edits.patch("blocks.1.resid_post", other, last)).logits
        close(patched[:-1], one.logits[:-1])
        close(patched[-1], other.logits[-1])

    def test_some_heads(self, runs):
        variant, one, other = runs
        name = "blocks.1.attn.z"
        patched = variant.trace_ids(one.ids, edit=edits.patch(name, other, slice(3, 8), slice(1, 3)))[name]
        wanted = one[name].clone()
        wanted[:, 1:3, 3:8] = other[name][:, 1:3, 3:8]
        assert torch.equal(patched, wanted)

    def test_texts_of_unequal_length(self, lm):
        one, longer = lm.trace("Lily had"), lm.trace("Lily had a red ball.")
        with pytest.raises(BadShape) as error:
            lm.trace("Lily had", edit=edits.patch("embed", longer))
        assert "positions that both texts have" in sentence(error)
        patched = lm.trace("Lily had", edit=edits.patch("embed", longer, slice(0, len(one))))
        close(patched.logits, longer.logits[: len(one)])

    def test_unknown_tensors_are_refused(self, lm):
        with pytest.raises(UnknownName):
            edits.patch("blocks.0.attn.p", lm.trace(TEXT))


class TestScaleScores:
    def test_one_changes_nothing(self, variant):
        edit = edits.scale_scores(1.0, 2)
        assert torch.equal(variant.trace(TEXT, edit=edit).logits, variant.trace(TEXT).logits)

    def test_scores_are_multiplied_where_chosen(self, tokenizer):
        lm = tiny.language_model(tokenizer)
        plain, scaled = lm.trace(TEXT), lm.trace(TEXT, edit=edits.scale_scores(3.0, 2, layer=1, head=2))
        close(scaled.scores(1, 2), 3 * plain.scores(1, 2), 1e-4)
        close(scaled.attention(1, 2), (3 * plain.scores(1, 2, "masked")).softmax(-1))
        for layer, head in ((0, 0), (0, 2), (1, 1)):
            assert torch.equal(scaled.scores(layer, head), plain.scores(layer, head))

    def test_zero_attends_evenly_and_much_attends_to_one(self, tokenizer):
        lm = tiny.language_model(tokenizer)
        even = lm.trace(TEXT, edit=edits.scale_scores(0.0, 2))
        close(even.attention(1, 1)[3, :4], torch.full((4,), 0.25))
        sharp = lm.trace(TEXT, edit=edits.scale_scores(1000.0, 2, layer=0))
        assert sharp.attention(0, 0).max(-1).values.median() > 0.999

    def test_unknown_heads_are_refused(self, lm):
        with pytest.raises(UnknownName):
            lm.trace(TEXT, edit=edits.scale_scores(2.0, 2, 0, 9))


class TestCombine:
    def test_edits_of_one_tensor_run_in_order(self, lm):
        double, add = ({"embed": lambda x, r: x * 2}, {"embed": lambda x, r: x + 1})
        embed = lm.trace(TEXT)["embed"]
        close(lm.trace(TEXT, edit=edits.combine(double, add))["embed"], embed * 2 + 1)
        close(lm.trace(TEXT, edit=edits.combine(add, double))["embed"], (embed + 1) * 2)

    def test_edits_of_different_tensors_stand_side_by_side(self, lm):
        both = edits.combine(edits.mute_heads([(0, 1)]), edits.scale_scores(2.0, 2))
        assert set(both) == {"blocks.0.attn.z", "blocks.0.attn.q", "blocks.1.attn.q"}
        assert edits.combine() == {}

    def test_two_rows_of_one_head(self, lm):
        first = torch.eye(len(lm.encode(TEXT)))[0]
        trace = lm.trace(TEXT, edit=edits.combine(edits.replace_row(0, 1, 4, first), edits.replace_row(0, 1, 5, first)))
        v = trace["blocks.0.attn.v"][0, 1, 0]
        close(trace["blocks.0.attn.z"][0, 1, 4:6], torch.stack([v, v]))
        assert trace.attention(0, 1)[4:6, 0].tolist() == [1, 1]
