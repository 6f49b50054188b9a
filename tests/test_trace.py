"""Taps, recordings and the maps a trace recomputes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tlmviz import kernels
from tlmviz.analysis.attention import interventions
from tlmviz.errors import BadShape, UnknownName
from tlmviz.tracing.trace import STAGES, Tap, keep_attention, name_taps, recording

from . import tiny
from .tiny import TEXT, probabilities, scores, sentence


class Doubler(nn.Module):
    """Two taps, one of them nested: the smallest network worth watching."""

    def __init__(self):
        super().__init__()
        self.before = Tap()
        self.inner = nn.Sequential(Tap())

    def forward(self, x):
        return self.inner(self.before(x) * 2)


@pytest.fixture
def doubler():
    return name_taps(Doubler())


@pytest.fixture
def trace(variant):
    return variant.trace(TEXT)


def mask(trace, layer):
    spec = trace.specs[layer]
    return dict(
        scale=spec.scale,
        causal=spec.mask.causal,
        window=spec.mask.window,
        slopes=spec.mask.slopes,
        relative=spec.mask.relative,
        softcap=spec.mask.softcap,
    )


def exact_maps(trace, layer):
    """Every head's map of a layer in float64, [H, T, T]."""
    q, k = (trace[f"blocks.{layer}.attn.{part}"] for part in "qk")
    return probabilities(q, k, **mask(trace, layer))[0]


class TestTaps:
    def test_are_named_by_their_path(self, doubler):
        assert [m.name for m in doubler.modules() if isinstance(m, Tap)] == ["before", "inner.0"]

    def test_pass_the_very_tensor_through(self):
        x = torch.ones(2)
        assert Tap()(x) is x

    def test_recording_keeps_what_it_was_asked_to(self, doubler):
        with recording(keep=lambda name: name == "before") as record:
            doubler(torch.ones(2))
        assert list(record.values) == ["before"]

    def test_recording_ends_with_its_block(self, doubler):
        with recording() as record:
            doubler(torch.ones(2))
        doubler(torch.zeros(2))
        assert record.values["inner.0"].tolist() == [2, 2]

    def test_recording_ends_with_an_error_too(self, doubler):
        with pytest.raises(RuntimeError), recording() as record:
            raise RuntimeError
        doubler(torch.zeros(2))
        assert not record.values

    def test_inner_recordings_hide_outer_ones(self, doubler):
        with recording() as outer:
            with recording() as inner:
                doubler(torch.ones(2))
            assert inner.values and not outer.values
            doubler(torch.zeros(2))
        assert outer.values["before"].tolist() == [0, 0] and inner.values["before"].tolist() == [1, 1]

    def test_edits_change_the_rest_of_the_pass_and_are_recorded(self, doubler):
        with recording(edit={"before": lambda x, record: x + 1}) as record:
            out = doubler(torch.ones(2))
        assert out.tolist() == [4, 4] and record.values["before"].tolist() == [2, 2]

    def test_edits_may_not_change_the_shape(self, doubler):
        with pytest.raises(BadShape) as error, recording(edit={"before": lambda x, record: x[:1]}):
            doubler(torch.ones(2))
        assert "before returned [1]" in sentence(error)

    def test_threads_do_not_see_each_other(self, doubler):
        """Both threads are inside their recordings at once; each keeps its own values and edits."""
        together = threading.Barrier(2, timeout=30)

        def run(number):
            def edit(x, record):
                together.wait()
                return x + number

            with recording(edit={"before": edit}) as record:
                out = doubler(torch.zeros(1))
                together.wait()
            return out.item(), record.values["before"].item(), len(record.values)

        with ThreadPoolExecutor(2) as pool, recording() as outer:
            assert list(pool.map(run, [1, 5])) == [(2, 1, 2), (10, 5, 2)]
        assert not outer.values


class TestTensors:
    def test_sizes(self, variant, trace):
        assert len(trace) == len(trace.ids) == len(trace.tokens)
        assert (trace.n_layers, trace.n_heads) == (2, 4)
        assert trace.logits.shape == (len(trace), variant.config.vocab_size)
        assert trace.tokens[0] == "<|endoftext|>" and "".join(trace.tokens[1:]) == TEXT

    def test_logits_are_those_of_a_plain_call(self, variant, trace):
        assert torch.equal(trace.logits, variant(torch.tensor([trace.ids]))[0])

    def test_every_name_can_be_asked_for(self, variant, trace):
        everything = variant.trace(TEXT, keep=lambda name: True)
        kept = set(trace._record.values)
        assert kept == {name for name in trace.tap_names if keep_attention(name)} < trace.tap_names
        for name in sorted(trace.tap_names):
            assert torch.equal(trace[name], everything._record.values[name]), name

    def test_several_names_cost_one_pass(self, lm):
        trace, passes = lm.trace(TEXT), []
        rerun = trace._rerun
        trace._rerun = lambda keep: passes.append(1) or rerun(keep)
        names = ["embed", "blocks.0.mlp.hidden", "blocks.1.attn.q"]
        assert list(trace.tensors(names)) == names and passes == [1]
        trace.tensors(names)
        assert passes == [1]

    def test_recomputed_tensors_see_the_same_edits(self, lm):
        edited = lm.trace(TEXT, edit={"embed": lambda x, record: x * 0})
        assert (edited["blocks.0.resid_pre"] == 0).all() and (edited["embed"] == 0).all()

    def test_q_k_and_v_hold_heads_before_positions(self, variant, trace):
        c, length = variant.config, len(trace)
        assert trace["blocks.0.attn.q"].shape == (1, c.n_heads, length, c.head_dim + c.attention.rope_dim)
        assert trace["blocks.1.attn.v"].shape == (1, c.n_kv_heads, length, c.value_dim)
        assert trace["blocks.0.attn.lse"].shape == (1, c.n_heads, length)

    @pytest.mark.parametrize("name", ["", "q", "blocks.2.attn.q", "blocks.0.attn"])
    def test_unknown_names_are_refused(self, lm, name):
        trace = lm.trace(TEXT)
        for ask in (lambda: trace[name], lambda: trace.tensors(["embed", name])):
            with pytest.raises(UnknownName) as error:
                ask()
            assert repr(name) in sentence(error)

    def test_unknown_edits_are_refused(self, lm):
        with pytest.raises(UnknownName, match="blocks.7.attn.z") as error:
            lm.trace(TEXT, edit={"blocks.7.attn.z": lambda x, record: x})
        sentence(error)

    def test_traces_are_made_without_gradients(self, lm):
        with torch.enable_grad():
            trace = lm.trace(TEXT)
        assert trace.logits.is_inference() and trace["embed"].is_inference()


class TestProbabilities:
    def test_equal_softmax(self, lm):
        trace = lm.trace(TEXT)
        assert torch.allclose(trace.probabilities(3, 0.5), (trace.logits[3].double() / 0.5).softmax(-1).float())
        assert torch.allclose(trace.probabilities(), trace.logits[-1].softmax(-1))

    def test_temperature_zero_takes_the_largest(self, lm):
        p = lm.trace(TEXT).probabilities(temperature=0)
        assert p.sum() == 1 and p.argmax() == lm.trace(TEXT).logits[-1].argmax()

    def test_loss_per_token_is_minus_log_p(self, lm):
        trace = lm.trace(TEXT)
        logp = trace.logits.double().log_softmax(-1)
        wanted = [-logp[i, trace.ids[i + 1]].item() for i in range(len(trace) - 1)]
        assert trace.loss_per_token().tolist() == pytest.approx(wanted, abs=1e-5)
        assert lm.trace_ids([5]).loss_per_token().shape == (0,)


class TestMaps:
    def test_needs_no_gradient_even_where_the_model_is_in_training(self):
        model = tiny.language_model(tiny.tokenizer(), positions="relative")
        model.network.requires_grad_(True)
        trace = model.trace(TEXT)
        assert not trace.attention(0, 1).requires_grad and not trace.row(3).requires_grad
        assert np.isfinite(trace.statistics()["entropy"]).all()

    def test_layers_with_tables_of_their_own_are_not_merged(self, tokenizer):
        trace = tiny.language_model(tokenizer, positions="relative").trace(TEXT)
        assert len(list(trace.batches())) == 2
        assert len(list(tiny.language_model(tokenizer).trace(TEXT).batches())) == 1

    def test_several_heads_are_each_head(self, trace):
        for heads in (slice(None), slice(1, 3)):
            shown = range(trace.n_heads)[heads]
            maps = trace.attentions(1, heads)
            assert maps.shape == (len(shown), len(trace), len(trace))
            for head, found in zip(shown, maps):
                torch.testing.assert_close(found, trace.attention(1, head))
        rows = slice(2, 5)
        torch.testing.assert_close(trace.attentions(1, rows=rows), trace.attentions(1)[:, rows])
        with pytest.raises(UnknownName):
            trace.attentions(99)

    def test_logits_of_several_positions(self, trace):
        torch.testing.assert_close(trace.logits_at([2, -1, 2]), trace.logits[[2, -1, 2]])
        torch.testing.assert_close(trace.logits_at(2), trace.logits[2])

    def test_attention_is_softmax(self, trace):
        for layer in range(2):
            exact = exact_maps(trace, layer)
            for head in range(4):
                torch.testing.assert_close(trace.attention(layer, head).double(), exact[head], atol=2e-5, rtol=0)

    def test_it_explains_what_the_head_put_out(self, trace):
        """z = map @ v: the map shown is the map that was used."""
        v = trace["blocks.1.attn.v"]
        for head in range(4):
            z = trace.attention(1, head) @ v[0, head * v.shape[1] // 4]
            torch.testing.assert_close(z, trace["blocks.1.attn.z"][0, head], atol=2e-5, rtol=0)

    @pytest.mark.parametrize("rows", [slice(None), slice(3, 9), slice(-2, None)])
    @pytest.mark.parametrize("cols", [slice(None), slice(0, 4)])
    def test_a_tile_is_a_slice_of_the_whole(self, trace, rows, cols):
        whole = trace.attention(1, 2)
        torch.testing.assert_close(trace.attention(1, 2, rows=rows, cols=cols), whole[rows, cols], atol=5e-6, rtol=0)

    def test_stages_build_on_each_other(self, trace):
        q, k, _ = trace.qk(1, 3)
        options = mask(trace, 1)
        slopes = None if options["slopes"] is None else options["slopes"][3:]
        dot, scaled, masked, softmax = (trace.scores(1, 3, stage) for stage in STAGES)
        torch.testing.assert_close(dot, q @ k.T)
        options["slopes"] = slopes
        plain = scores(q[None, None], k[None, None], **options | dict(causal=False, window=None))[0, 0]
        torch.testing.assert_close(scaled.double(), plain, atol=1e-4, rtol=0)
        exact = scores(q[None, None], k[None, None], **options)[0, 0]
        torch.testing.assert_close(masked.double(), exact, atol=1e-4, rtol=0)
        torch.testing.assert_close(softmax, masked.softmax(-1), atol=2e-5, rtol=0)

    def test_pooled_is_pooling(self, trace):
        exact = trace.attention(0, 1)[None]
        torch.testing.assert_close(trace.pooled(0, 1, size=7), F.adaptive_max_pool2d(exact, 7)[0], atol=5e-6, rtol=0)
        mean = F.adaptive_avg_pool2d(exact, 7)[0]
        torch.testing.assert_close(trace.pooled(0, 1, size=7, reduce="mean"), mean, atol=5e-6, rtol=0)

    def test_overview_holds_every_pooled_picture(self, trace):
        overview = trace.overview(size=9)
        assert overview.shape == (2, 4, 9, 9)
        for layer in range(2):
            for head in range(4):
                torch.testing.assert_close(overview[layer, head], trace.pooled(layer, head, 9), atol=5e-6, rtol=0)

    @pytest.mark.parametrize("position", [0, 5, -1])
    def test_row_holds_that_row_of_every_head(self, trace, position):
        row = trace.row(position)
        for layer in range(2):
            for head in range(4):
                wanted = trace.attention(layer, head)[position]
                torch.testing.assert_close(row[layer, head], wanted, atol=5e-6, rtol=0)

    def test_a_replaced_row_is_shown_where_it_was_replaced(self, lm):
        plain = lm.trace(TEXT)
        weights = torch.arange(len(plain)).float() / sum(range(len(plain)))
        trace = lm.trace(TEXT, edit=interventions.replace_row(1, 2, 6, weights))
        shown, wanted = trace.attention(1, 2), plain.attention(1, 2)
        wanted[6] = weights
        torch.testing.assert_close(shown, wanted, atol=5e-6, rtol=0)
        tile = trace.attention(1, 2, rows=slice(5, 8), cols=slice(2, 9))
        torch.testing.assert_close(tile, wanted[5:8, 2:9], atol=5e-6, rtol=0)
        torch.testing.assert_close(trace.row(6)[1, 2], weights)
        torch.testing.assert_close(trace.attention(1, 1), plain.attention(1, 1))
        torch.testing.assert_close(trace.row(6)[1, 1], plain.row(6)[1, 1])

    @pytest.mark.parametrize("layer, head", [(-1, 0), (2, 0), (0, 4), (0, -1)])
    def test_unknown_layers_and_heads_are_refused(self, lm, layer, head):
        trace = lm.trace(TEXT)
        for ask in (trace.attention, trace.pooled, trace.scores):
            with pytest.raises(UnknownName) as error:
                ask(layer, head)
            assert "0 to" in sentence(error)

    def test_unknown_stages_and_reductions_are_refused(self, lm):
        with pytest.raises(UnknownName, match="dot, scaled, masked, softmax"):
            lm.trace(TEXT).scores(0, 0, "raw")
        with pytest.raises(UnknownName, match="max, mean, sum"):
            lm.trace(TEXT).pooled(0, 0, reduce="median")

    def test_one_token_is_enough(self, variant):
        trace = variant.trace_ids([7])
        assert trace.attention(0, 0).item() == pytest.approx(1.0, abs=1e-5)
        assert trace.pooled(0, 0, size=3).shape == (3, 3)
        assert trace.head_statistics()["sink"].tolist() == pytest.approx([1.0] * 8, abs=5e-6)

    def test_long_texts_give_what_short_ones_do(self, tokenizer):
        """Above some length a trace works layer by layer; the last tokens of a window model don't notice."""
        model = tiny.language_model(tokenizer, context=320, window=9, n_kv_heads=2)
        ids = [i % 7 for i in range(300)]
        long, short = model.trace_ids(ids), model.trace_ids(ids[-200:])
        assert long.overview(size=5).shape == (2, 4, 5, 5)
        torch.testing.assert_close(long.overview(size=5)[1, 2], long.pooled(1, 2, size=5), atol=5e-6, rtol=0)
        # Two layers of nine positions reach back sixteen: beyond them, both traces hold the same.
        torch.testing.assert_close(long.row(-1)[:, :, -9:], short.row(-1)[:, :, -9:], atol=1e-4, rtol=0)
        for trace in (long, short):
            maps = torch.stack([torch.stack([trace.attention(i, j) for j in range(4)]) for i in range(2)])
            self_mass = maps.diagonal(dim1=-2, dim2=-1)[:, :, 1:].mean(-1).flatten()
            assert trace.head_statistics()["self"].tolist() == pytest.approx(self_mass.tolist(), abs=1e-5)

    def test_memory_is_linear_in_the_text(self, lm):
        """Nothing kept is as large as a map, and tiles don't add to what is kept."""
        trace = lm.trace(TEXT)
        trace.overview()
        trace.head_statistics()
        length = len(trace)
        assert not [n for n, v in trace._record.values.items() if tuple(v.shape[-2:]) == (length, length)]


class TestStatistics:
    def test_equal_brute_force(self, trace):
        """Float64 NumPy, one cell at a time, as the docstring defines the columns."""
        frame, ids, length = trace.head_statistics(), trace.ids, len(trace)
        assert list(frame.columns[:2]) == ["layer", "head"] and len(frame) == 8
        for layer in range(2):
            maps = exact_maps(trace, layer).numpy()
            for head in range(4):
                p, rows = maps[head], range(1, length)
                induction = []
                for t in rows:
                    after = [s for s in range(1, t + 1) if ids[s - 1] == ids[t]]
                    induction += [sum(p[t, s] for s in after)] if after else []
                wanted = {
                    "entropy": np.mean([-sum(x * np.log2(x) for x in p[t] if x > 0) for t in rows]),
                    "sink": np.mean([p[t, 0] for t in rows]),
                    "self": np.mean([p[t, t] for t in rows]),
                    "previous": np.mean([p[t, t - 1] for t in rows]),
                    "distance": np.mean([sum(p[t, s] * (t - s) for s in range(length)) for t in rows]),
                    "peak": np.mean([p[t].max() for t in rows]),
                    "induction": np.mean(induction),
                }
                line = frame[(frame.layer == layer) & (frame["head"] == head)].iloc[0]
                q, k = (trace[f"blocks.{layer}.attn.{part}"] for part in "qk")
                wanted["max_logit"] = scores(q, k, **mask(trace, layer))[0, head].max().item()
                assert {name: line[name] for name in wanted} == pytest.approx(wanted, abs=1e-4)

    def test_induction_is_nan_when_nothing_repeats(self, lm):
        assert lm.trace_ids([0, 1, 2, 3]).head_statistics()["induction"].isna().all()

    def test_are_computed_once_and_cannot_be_spoiled(self, lm, monkeypatch):
        trace = lm.trace(TEXT)
        first = trace.head_statistics()
        first["entropy"] = -1
        monkeypatch.setattr(kernels, "head_statistics", None)
        assert (trace.head_statistics()["entropy"] >= 0).all()


def test_arrays_can_be_saved_and_read_without_pickles(lm, tmp_path):
    trace = lm.trace(TEXT)
    np.savez(tmp_path / "trace.npz", **trace.arrays())
    with np.load(tmp_path / "trace.npz", allow_pickle=False) as saved:
        assert saved["ids"].tolist() == trace.ids and saved["tokens"].tolist() == trace.tokens
        q, k, lse = (saved[f"blocks.1.attn.{part}"][2] for part in ("q", "k", "lse"))
        assert np.array_equal(saved["logits"], trace.logits.numpy())
    again = np.where(np.tri(len(trace)) > 0, np.exp(q @ k.T * 8**-0.5 - lse[:, None]), 0)
    np.testing.assert_allclose(again, trace.attention(1, 2).numpy(), atol=1e-5)


class TestLateLogits:
    def test_only_the_rows_that_are_looked_at_are_made(self, lm, monkeypatch):
        made = []
        unembed = lm.network.unembed
        monkeypatch.setattr(lm.network, "unembed", lambda normed: made.append(normed.shape[0]) or unembed(normed))
        trace = lm.trace(TEXT)
        p = trace.probabilities()
        assert made == [1] and "logits" not in trace._record.values
        torch.testing.assert_close(p, trace.logits[-1].softmax(-1))

    def test_losses_in_strips_equal_those_at_once(self, lm, monkeypatch):
        whole = lm.trace(TEXT).loss_per_token()
        monkeypatch.setattr("tlmviz.tracing.trace.LOGITS_AT_ONCE", 3 * lm.config.vocab_size)
        torch.testing.assert_close(lm.trace(TEXT).loss_per_token(), whole)

    def test_an_edit_of_the_logits_is_seen(self, lm):
        assert (lm.trace(TEXT, edit={"logits": lambda x, record: x * 0}).logits == 0).all()

    def test_v_of_long_texts_is_read_again(self, lm, monkeypatch):
        short = lm.trace(TEXT)
        monkeypatch.setattr("tlmviz.facades.language_model.VALUES_KEPT", 0)
        long, name = lm.trace(TEXT), "blocks.1.attn.v"
        assert name in short._record.values and name not in long._record.values
        assert torch.equal(long[name], short[name]) and set(long.arrays()) == set(short.arrays())

    def test_what_is_kept_holds_nothing_larger(self, lm):
        for name, value in lm.trace(TEXT)._record.values.items():
            assert value.untyped_storage().nbytes() == value.nbytes, name
