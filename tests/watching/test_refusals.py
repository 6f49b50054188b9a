"""What cannot be watched is refused by name, and a capture that is not the model's turns the verification red."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import transformers as hf
from torch import nn

import tlmviz
from tlmviz import kernels
from tlmviz.errors import BadModel, UnknownName
from tlmviz.watching import biases, capture, interface, masks, traces

from ..tiny import sentence
from .families import BASE, FAMILIES, MORE, VOCAB, Family, text

ROOT = Path(__file__).resolve().parents[2]

OWN = dict(vocab_size=VOCAB, n_layer=2, n_head=4)
IGNORE = {
    "gptj": Family("GPTJConfig", dict(OWN, n_embd=32, rotary_dim=4)),
    "gpt_neo": Family(
        "GPTNeoConfig",
        dict(vocab_size=VOCAB, hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global"], 2]]),
    ),  # noqa: E501
    "falcon": Family(
        "FalconConfig", dict(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=4)
    ),
    "bloom": Family("BloomConfig", dict(OWN, hidden_size=32)),
    "mpt": Family("MptConfig", dict(vocab_size=VOCAB, d_model=32, n_layers=2, n_heads=4)),
    "xglm": Family("XGLMConfig", dict(vocab_size=VOCAB, d_model=32, num_layers=2, attention_heads=4, ffn_dim=32)),
    "deberta_v2": Family(
        "DebertaV2Config",
        dict(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=32),
        "AutoModel",
    ),  # noqa: E501
    "mpnet": Family(
        "MPNetConfig",
        dict(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=32),
        "AutoModel",
    ),  # noqa: E501
    "xlnet": Family("XLNetConfig", dict(vocab_size=VOCAB, d_model=32, n_layer=2, n_head=4, d_inner=32), "AutoModel"),
    "mamba": Family("MambaConfig", dict(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, state_size=4)),
    "qwen3_next": Family(
        "Qwen3NextConfig",
        dict(
            BASE,
            head_dim=8,
            num_experts=4,
            num_experts_per_tok=2,
            linear_num_value_heads=4,
            linear_num_key_heads=2,
            linear_key_head_dim=8,
            linear_value_head_dim=8,
            num_hidden_layers=4,
            moe_intermediate_size=16,
            shared_expert_intermediate_size=16,
        ),
    ),  # noqa: E501
}


@pytest.mark.parametrize("name", IGNORE)
def test_models_that_do_not_hand_their_attention_over(name):
    model = IGNORE[name].make()
    kind = model.config._attn_implementation
    with pytest.raises(BadModel) as error, tlmviz.watch(model):
        pass
    assert f"({name})" in sentence(error).replace("-", "_") and "cannot be watched" in str(error.value)
    assert model.config._attn_implementation == kind


def test_layers_that_read_different_pieces():
    with pytest.raises(BadModel, match="different pieces") as error, tlmviz.watch(MORE["swin"].make()):
        pass
    assert sentence(error)


def test_what_is_no_model_of_transformers():
    with pytest.raises(BadModel, match="a Linear.*from_arrays") as error:
        tlmviz.watch(nn.Linear(2, 2))
    assert sentence(error)


@pytest.fixture
def llama():
    return FAMILIES["llama"].make()


def run(model, **options):
    with torch.no_grad(), tlmviz.watch(model, **options) as watched:
        model(**text(model))
    return watched


class TestVerification:
    def test_says_what_it_found(self, llama):
        verified = run(llama).verified
        assert (verified.family, verified.layers, verified.left_out) == ("llama", 2, ())
        assert 0 < verified.error < 1e-6 and "maps of 2 layers within" in str(verified)

    def test_may_be_left_out_or_given_an_input(self, llama):
        assert run(llama, check=False).verified is None
        assert run(llama, check={"input_ids": torch.tensor([[5, 6, 7]])}).verified.layers == 2

    def test_an_input_the_model_does_not_take(self, llama):
        with pytest.raises(BadModel, match="could not be run.*check=") as error:
            run(llama, check={"pixels": torch.zeros(1)})
        assert sentence(error)

    @pytest.mark.parametrize("part", ["q", "k", "lse"])
    def test_a_changed_tensor_turns_it_red(self, llama, monkeypatch, part):
        keep = capture.Recorder.keep

        def changed(self, module, q, k, v, lse, rule, **kept):
            found = {"q": q, "k": k, "lse": lse}
            found[part] = found[part] * 1.02
            keep(self, module, found["q"], found["k"], v, found["lse"], rule, **kept)

        monkeypatch.setattr(capture.Recorder, "keep", changed)
        with pytest.raises(tlmviz.Error, match="not reproduced|is not that of q and k"):
            run(llama)

    @pytest.mark.parametrize(
        "name, part, value",
        [("llama", "scale", 0.4), ("gemma2", "softcap", None), ("gpt_oss", "sinks", None), ("t5", "bias", None)],
    )
    def test_a_lost_part_of_the_scores_turns_it_red(self, monkeypatch, name, part, value):
        keep = capture.Recorder.keep
        lost = lambda self, *args, **kept: keep(self, *args, **(kept | {part: value}))  # noqa: E731
        monkeypatch.setattr(capture.Recorder, "keep", lost)
        with (
            pytest.raises(tlmviz.Error, match="not reproduced|is not that of q and k"),
            tlmviz.watch(FAMILIES[name].make()),
        ):
            pass

    def test_a_wider_window_turns_it_red(self, monkeypatch):
        honest = traces.recognised

        def wider(visible):
            mask = honest(visible)
            return replace(mask, window=mask.window + 1)

        monkeypatch.setattr(traces, "recognised", wider)
        with (
            pytest.raises(tlmviz.Error, match="not reproduced|is not that of q and k"),
            tlmviz.watch(FAMILIES["mistral"].make()),
        ):
            pass

    def test_a_lost_mask_turns_it_red(self, llama, monkeypatch):
        """The trap of the interface: without a mask function under the same name, padding vanishes and nothing is
        said."""
        monkeypatch.setattr(interface, "lazy_mask", lambda **request: None)
        with pytest.raises(tlmviz.Error, match="not reproduced"):
            run(llama)
        monkeypatch.undo()
        interface.register()

    def test_dropout_is_off_for_it_and_comes_back(self, llama):
        llama.train()
        llama.model.norm.eval()
        assert run(llama).verified.error < 1e-6
        assert llama.training and not llama.model.norm.training


class TestLeaving:
    def test_an_exception_switches_back(self, llama):
        with pytest.raises(ZeroDivisionError), tlmviz.watch(llama, check=False):
            assert llama.config._attn_implementation == interface.NAME
            raise ZeroDivisionError
        assert llama.config._attn_implementation == "sdpa" and not llama._forward_pre_hooks
        assert not interface.OWNERS and not interface.CONFIGS

    def test_each_part_gets_its_own_back(self):
        model = FAMILIES["clip"].make()
        model.set_attn_implementation({"text_config": "eager", "vision_config": "sdpa"})
        kinds = [model.config.text_config._attn_implementation, model.config.vision_config._attn_implementation]
        with tlmviz.watch(model):
            pass
        assert (
            kinds
            == ["eager", "sdpa"]
            == [model.config.text_config._attn_implementation, model.config.vision_config._attn_implementation]
        )

    def test_watching_twice_at_once_is_refused(self, llama):
        with tlmviz.watch(llama, check=False), pytest.raises(BadModel, match="already") as error:
            run(llama, check=False)
        assert sentence(error) and llama.config._attn_implementation == "sdpa"

    def test_two_models_at_once(self, llama):
        other = FAMILIES["mistral"].make()
        with torch.no_grad(), tlmviz.watch(llama) as one, tlmviz.watch(other) as two:
            llama(**text(llama))
            other(**text(other))
        assert one.trace.specs[0].mask.window is None and two.trace.specs[0].mask.window == 4

    def test_a_copy_made_inside_is_told_apart(self, llama):
        with tlmviz.watch(llama, check=False):
            copy = hf.AutoModelForCausalLM.from_config(llama.config)
            copy.config._attn_implementation_internal = interface.NAME
            with pytest.raises(BadModel, match="before or after the with block") as error:
                copy(**text(copy))
        assert sentence(error)


class TestCalls:
    def test_nothing_watched_yet(self, llama):
        with tlmviz.watch(llama, check=False) as watched, pytest.raises(UnknownName, match="inside the with block"):
            watched.trace  # noqa: B018
        assert watched.stacks == [] and watched.patches is None

    def test_unknown_stacks_and_rows(self, llama):
        watched = run(llama, check=False)
        for call, words in (
            (lambda: watched.trace_of("vision"), "there are decoder"),
            (lambda: watched.trace_of("decoder", 2), "rows 0 to 1"),
        ):  # noqa: E501
            with pytest.raises(UnknownName, match=words) as error:
                call()
            assert sentence(error)

    def test_a_second_text_takes_the_place_of_the_first(self, llama):
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            llama(input_ids=torch.tensor([[5, 6, 7]]))
            first = watched.trace
            assert watched.trace is first and first.tokens == ["5", "6", "7"]
            llama(input_ids=torch.tensor([[8, 9]]))
        assert watched.trace.tokens == ["8", "9"]

    def test_a_part_that_is_called_alone(self):
        """As `generate` calls an encoder: each call is a pass of its own, and an error leaves nothing behind."""
        model = FAMILIES["t5"].make()
        with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
            with pytest.raises(ValueError):
                model.get_encoder()(input_ids=None)
            for ids in ([[5, 6, 7]], [[8, 9, 10, 11]]):
                model.get_encoder()(input_ids=torch.tensor(ids))
        assert watched.stacks == ["encoder"] and watched.trace.n_layers == 2 and watched.trace.ids == [8, 9, 10, 11]
        assert watched.recorder.depth == 0

    def test_a_cache_from_outside_is_refused(self, llama):
        cache = hf.DynamicCache()
        llama(input_ids=torch.tensor([[5, 6, 7]]), past_key_values=cache)
        with (
            tlmviz.watch(llama, check=False),
            pytest.raises(BadModel, match="whose beginning was not watched") as error,
        ):
            llama(input_ids=torch.tensor([[8]]), past_key_values=cache)
        assert sentence(error)

    def test_a_learned_prefix_is_named(self, llama):
        """Prefix tuning hands the model keys and values of no token, as a cache."""
        prefix = hf.DynamicCache()
        llama(inputs_embeds=torch.randn(1, 4, llama.config.hidden_size), past_key_values=prefix)
        with (
            tlmviz.watch(llama, check=False),
            pytest.raises(BadModel, match="of a cache or of prefix tuning.*its base model can") as error,
        ):
            llama(input_ids=torch.tensor([[5, 6]]), past_key_values=prefix)
        assert sentence(error)

    def test_a_cache_that_was_cut_goes_on_from_there(self, llama):
        cache = hf.DynamicCache()
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            for ids in ([[5, 6, 7]], [[8]], [[9]]):
                llama(input_ids=torch.tensor(ids), past_key_values=cache)
            cache.crop(-1)
            llama(input_ids=torch.tensor([[10]]), past_key_values=cache)
            assert watched.trace.ids == [5, 6, 7, 8, 10]
            map_of_steps = watched.trace.attention(1, 2)
            llama(input_ids=torch.tensor([[5, 6, 7, 8, 10]]))
        torch.testing.assert_close(map_of_steps, watched.trace.attention(1, 2), atol=1e-6, rtol=0)

    def test_beam_search_is_refused(self, llama):
        with tlmviz.watch(llama, check=False), pytest.raises(BadModel, match="num_beams=1") as error:
            llama.generate(**text(llama), num_beams=3, max_new_tokens=6, do_sample=False)
        assert sentence(error)

    def test_an_unknown_tensor_is_refused_by_name(self, llama):
        with tlmviz.watch(llama, check=False), pytest.raises(BadModel, match="block_indices") as error:
            llama(**text(llama), block_indices=torch.zeros(1))
        assert sentence(error)

    def test_a_row_of_padding_alone(self, llama):
        inputs = text(llama)
        inputs["attention_mask"][1] = 0
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            llama(**inputs)
        assert len(watched.trace) == 12
        with pytest.raises(BadModel, match="Row 1 of the batch is all padding") as error:
            watched.traces  # noqa: B018
        assert sentence(error)


class TestMemory:
    def test_nothing_of_tokens_times_tokens_is_kept(self, llama):
        """Padding makes the model ask for a mask; its rule is kept, the tensor is not."""
        inputs = {"input_ids": torch.randint(3, VOCAB, (2, 40)), "attention_mask": torch.ones(2, 40, dtype=torch.long)}
        inputs["attention_mask"][1, :4] = 0
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            llama(**inputs)
        trace = watched.traces[1]
        largest = 40 * 4 * 8  # q of one row
        assert all(value.size <= largest for value in trace.arrays().values())
        layer = watched.recorder.stacks["decoder"].layers[0]
        held = vars(layer.rules[0].answer)["request"].values()
        assert all(part.numel() <= 80 for part in held if isinstance(part, torch.Tensor))

    def test_a_step_of_a_generation_keeps_its_own_keys_only(self, llama):
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            llama.generate(**text(llama), max_new_tokens=6, min_new_tokens=6, do_sample=False)
        layer = watched.recorder.stacks["decoder"].layers[0]
        assert [part.shape[2] for part in layer.v] == [12, 1, 1, 1, 1, 1]
        parts = [*layer.k, *layer.v]
        assert all(part.untyped_storage().nbytes() == part.numel() * 4 for part in parts)


def test_a_lazy_mask_is_a_tensor_to_whoever_needs_one():
    """deepseek_v32 subscripts its mask, others add to it: they get what their own implementation would have made."""
    from transformers.masking_utils import causal_mask_function, sdpa_mask

    request = dict(batch_size=2, q_length=5, kv_length=5, mask_function=causal_mask_function, device="cpu")
    lazy, exact = (masks.LazyMask(sdpa_mask, request), torch.ones(5, 5, dtype=torch.bool).tril().expand(2, 1, 5, 5))
    assert lazy.shape == exact.shape and lazy.ndim == 4 and lazy.own() is None
    assert lazy[:, :, :, :5] is lazy and torch.equal(lazy[:, :, 1:3], exact[:, :, 1:3])
    assert torch.equal(torch.where(lazy, 1, 0), exact.int()) and torch.equal(~lazy, ~exact)
    assert torch.equal(lazy.float(), exact.float()) and lazy.dtype == torch.bool
    rows, cols = torch.tensor([4, 1]), torch.tensor([0, 3])
    assert torch.equal(lazy.rule().answer(1, rows, cols), exact[1, 0][rows][:, cols])


class TestBias:
    def test_t5s_position_bias_is_kept_as_a_line(self):
        model = FAMILIES["t5"].make()
        with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
            model.generate(**text(model), max_new_tokens=6, min_new_tokens=6, do_sample=False)
        for name, distances in (("encoder", 2 * 12 - 1), ("decoder", None), ("cross", None)):
            calls = watched.recorder.stacks[name].layers[0].bias
            assert all(call.cells is None for call in calls)
            assert distances is None or [call.line.shape for call in calls] == [(4, distances)]
            first, second = (spec.mask.bias for spec in watched.trace_of(name)._specs)
            assert isinstance(first, kernels.DistanceBias) and (first is second or name == "cross")

    def test_cells_that_distance_does_not_decide_stay_cells(self):
        whole = torch.randn(1, 2, 6, 6, generator=torch.Generator().manual_seed(0))
        calls = [biases.call_bias(whole[:, :, :4, :4], 0, 4)]
        calls += [biases.call_bias(whole[:, :, t : t + 1, : t + 1], t, t + 1) for t in (4, 5)]
        places = torch.tensor([0, 2, 3, 5])
        found = biases.bias_of(calls, 0, places, places)
        seen = torch.ones(6, 6, dtype=torch.bool).tril()
        seen[:4, :4] = True
        exact = torch.where(seen, whole, 0.0)[:, :, places][..., places]
        assert torch.equal(found, exact)

    def test_lines_of_steps_join(self):
        line = torch.randn(2, 11, generator=torch.Generator().manual_seed(0))
        place = torch.arange(6)
        whole = line[:, place - place[:, None] + 5][None]
        calls = [biases.call_bias(whole[:, :, :4, :4], 0, 4)]
        calls += [biases.call_bias(whole[:, :, t : t + 1, : t + 1], t, t + 1) for t in (4, 5)]
        found = biases.bias_of(calls, 0, place, place)[:, :, :, :]
        assert torch.equal(found.tril(), whole.tril()) and found.shape == whole.shape


class TestTrace:
    @pytest.mark.parametrize("name", ["llama4", "gpt_oss", "t5", "deepseek_v32"])
    def test_saves_and_opens_with_the_same_maps(self, tmp_path, name):
        model = MORE[name].make() if name in MORE else FAMILIES[name].make()
        family = MORE.get(name, FAMILIES.get(name))
        with torch.no_grad(), tlmviz.watch(model) as watched:
            model(**family.inputs(model))
        for stack in watched.stacks:
            trace = watched.trace_of(stack, 1)
            trace.save(tmp_path / "x.safetensors")
            opened = tlmviz.open(tmp_path / "x.safetensors")
            for layer in range(2):
                torch.testing.assert_close(opened.attention(layer, 1), trace.attention(layer, 1), atol=1e-6, rtol=0)

    def test_everything_a_trace_can(self):
        model = FAMILIES["gpt_oss"].make()
        with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
            model(**text(model))
        trace = watched.trace
        p = torch.stack([trace.attention(0, head) for head in range(4)])
        assert (p.sum(-1) < 1).all(), "the sink has its part"
        assert torch.equal(trace.attention(0, 1, rows=slice(3, 5)), p[1, 3:5])
        torch.testing.assert_close(trace.row(7)[0], p[:, 7])
        torch.testing.assert_close(trace.overview(12)[0], p)
        entropy = -torch.xlogy(p, p).sum(-1)[:, 1:].mean(-1) / torch.log(torch.tensor(2.0))
        found = trace.head_statistics()
        assert found[found.layer == 0].entropy.tolist() == pytest.approx(entropy.tolist(), abs=1e-5)
        scores = trace.scores(0, 1, "masked")
        assert torch.isinf(scores).equal(p[1] == 0)


def test_importing_tlmviz_imports_no_transformers():
    code = "import sys, tlmviz; tlmviz.watch; print('transformers' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpointed_layers_are_recorded_once(use_reentrant):
    """Backward computes each layer again; the trace is that of the forward pass."""
    model = FAMILIES["llama"].make().train()
    inputs = text(model)
    with tlmviz.watch(model, check=False) as plain:
        model(**inputs)
    wanted = plain.trace.attention(1, 2)
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": use_reentrant})
    with tlmviz.watch(model, check=False) as watched:
        model(**inputs, labels=inputs["input_ids"], use_cache=False).loss.backward()
    assert watched.trace.n_layers == 2 and len(watched.trace.head_statistics()) == 2 * watched.trace.n_heads
    assert torch.equal(watched.trace.attention(1, 2), wanted)


def test_attention_called_more_often_than_maps_are_returned():
    with (
        pytest.raises(BadModel, match="more often than it returns maps") as error,
        tlmviz.watch(MORE["diffllama"].make()),
    ):
        pass
    assert sentence(error)
