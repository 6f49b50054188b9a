"""The ways in which models are run: in other types, quantised, under autocast, copied, wrapped, by embeddings."""

import contextlib
import copy
import io

import pytest
import torch
import transformers as hf
from torch import nn

import tlmviz
from tlmviz.errors import BadModel
from tlmviz.watching import interface, session, verification

from ..tiny import sentence
from .families import BASE, ENCODER, FAMILIES, text
from .test_families import eager_maps


@pytest.fixture
def llama():
    return FAMILIES["llama"].make()


def mapped(trace):
    return torch.stack(
        [
            torch.stack([trace.attention(layer, head) for head in range(trace.n_heads)])
            for layer in range(trace.n_layers)
        ]
    )


class TestPrecision:
    @pytest.mark.parametrize("name", ["llama", "gemma3", "vit"])
    def test_float64(self, name):
        """The eager attention of transformers takes the softmax in float32 all the same."""
        model = FAMILIES[name].make().double()
        with tlmviz.watch(model) as watched:
            pass
        assert 1e-9 < watched.verified.error < 1e-6 and watched.verified.output_error == 0

    def test_float64_is_held_closer_than_float32(self, monkeypatch):
        keep = interface.Recorder.keep
        monkeypatch.setattr(
            interface.Recorder,
            "keep",
            lambda self, *args, **kept: keep(self, *args, **(kept | {"scale": kept["scale"] * 1.00001})),
        )
        with pytest.raises(BadModel, match="not reproduced"), tlmviz.watch(FAMILIES["llama"].make().double()):
            pass

    def test_a_quantised_model_is_compared_within_one_pass(self, llama):
        """Rounding of activations makes eager and SDPA differ; the maps of one pass do not."""
        model = torch.ao.quantization.quantize_dynamic(llama, {nn.Linear})
        inputs = text(model)
        with torch.no_grad():
            plain = model(**inputs).logits
            eager = copy.deepcopy(model)
            eager.set_attn_implementation("eager")
            assert (eager(**inputs).logits - plain).abs().max() > 1e-3
            with tlmviz.watch(model) as watched:
                assert torch.equal(model(**inputs).logits, plain)
        assert watched.verified.error < 1e-6 and watched.verified.output_error == 0

    def test_a_map_that_is_no_number_is_no_agreement(self, llama, monkeypatch):
        monkeypatch.setattr(verification, "_layer_error", lambda *_: float("nan"))
        with pytest.raises(BadModel, match="maps differ by nan"), tlmviz.watch(llama):
            pass

    def test_the_refusal_says_what_to_do(self, llama, monkeypatch):
        monkeypatch.setattr(interface, "lazy_mask", lambda **request: None)
        with pytest.raises(BadModel, match=r"check=False to watch it unverified") as error, tlmviz.watch(llama):
            pass
        assert sentence(error)
        monkeypatch.undo()
        interface.register()


class TestAutocast:
    @pytest.mark.parametrize("name", ["llama", "mistral", "gpt2", "bert", "t5", "gemma2"])
    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
    def test_outputs_are_the_models_own_and_parts_as_they_were_used(self, name, dtype):
        model = FAMILIES[name].make()
        inputs = FAMILIES[name].inputs(model)
        with torch.no_grad(), torch.autocast("cpu", dtype):
            plain = model(**inputs)[0]
            with tlmviz.watch(model) as watched:
                assert torch.equal(model(**inputs)[0], plain)
                inside = mapped(watched.trace)
        layer = watched.recorder.stacks[watched.stacks[0]].layers[0]
        assert layer.q[0].dtype == layer.k[0].dtype == dtype
        assert torch.equal(mapped(watched.trace), inside), "a map read inside autocast is as exact"

    def test_gradients_are_the_models_own(self, llama):
        inputs, found = text(llama), []
        for opening in (contextlib.nullcontext(), tlmviz.watch(llama, check=False)):
            llama.zero_grad()
            with torch.autocast("cpu", torch.bfloat16), opening:
                llama(**inputs, labels=inputs["input_ids"]).loss.backward()
            found.append([parameter.grad.clone() for parameter in llama.parameters()])
        assert all(map(torch.equal, *found))

    def test_autocast_entered_after_watching(self, llama):
        inputs = text(llama)
        with torch.no_grad(), tlmviz.watch(llama) as watched, torch.autocast("cpu", torch.bfloat16):
            llama(**inputs)
        assert watched.recorder.stacks["decoder"].layers[0].q[0].dtype == torch.bfloat16


class TestCopies:
    def test_a_copy_made_inside_is_not_watched(self, llama):
        inputs = text(llama)
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            llama(**inputs)
            before = watched.recorder.version
            twin = copy.deepcopy(llama)
            written = io.BytesIO()
            torch.save(llama, written)
            plain = twin(**inputs).logits
            assert watched.recorder.version == before and watched.recorder.depth == 0
        written.seek(0)
        read = torch.load(written, weights_only=False)
        for other in (twin, read):
            assert other.config._attn_implementation == "sdpa"
            with torch.no_grad():
                assert torch.equal(other(**inputs).logits, plain)
            hooks = [hook for module in other.modules() for hook in module._forward_pre_hooks.values()]
            assert hooks and all(hook.call is session._nothing for hook in hooks)
        with torch.no_grad(), tlmviz.watch(twin) as watched:
            twin(**inputs)
        assert len(watched.trace) == 12


class PeftModel(nn.Module):
    """What peft puts around a model: the tuner holds it, `get_base_model` gives it, calls go through."""

    def __init__(self, model):
        super().__init__()
        self.base_model = nn.Module()
        self.base_model.model = model

    def get_base_model(self):
        return self.base_model.model

    def forward(self, **inputs):
        return self.base_model.model(**inputs)


class TestWrappers:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "wrap",
        [
            PeftModel,
            nn.DataParallel,
            lambda model: torch.compile(model, backend="eager"),
            lambda model: torch.compile(PeftModel(model), backend="eager"),
        ],
        ids=["peft", "data parallel", "compiled", "peft, compiled"],
    )
    def test_a_wrapper_may_be_given_and_called(self, llama, wrap):
        inputs = text(llama)
        outer = wrap(llama)
        with torch.no_grad():
            plain = outer(**inputs).logits
            with tlmviz.watch(outer) as watched:
                assert torch.equal(outer(**inputs).logits, plain)
        exact = torch.stack(eager_maps(llama, **inputs)[None])[:, 0]
        torch.testing.assert_close(mapped(watched.trace), exact, atol=1e-6, rtol=0)

    def test_what_is_within_must_be_a_model_of_transformers(self):
        with pytest.raises(BadModel, match="this is a Linear"):
            tlmviz.watch(nn.DataParallel(nn.Linear(2, 2)))


class TestNames:
    def test_embeddings_have_no_ids(self, llama):
        inputs = text(llama)
        embedded = llama.get_input_embeddings()(inputs["input_ids"])
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            llama(inputs_embeds=embedded, attention_mask=inputs["attention_mask"])
        assert watched.trace.tokens == [f"position {place}" for place in range(12)]

    def test_berts_encoder_may_be_a_decoder(self):
        settings = dict(ENCODER, intermediate_size=48)
        for is_decoder, stack in ((True, "decoder"), (False, "encoder")):
            model = hf.BertLMHeadModel(hf.BertConfig(**settings, is_decoder=is_decoder)).eval()
            with torch.no_grad(), tlmviz.watch(model) as watched:
                model(**text(model))
            assert watched.stacks == [stack]

    def test_a_mask_that_adds_numbers_of_each_head(self):
        doge = hf.DogeForCausalLM(hf.DogeConfig(**BASE, keep_window_size=4)).eval()
        inputs = text(doge)
        with torch.no_grad(), tlmviz.watch(doge) as watched:
            doge(**inputs)
        exact = torch.stack(eager_maps(doge, **inputs)[None])
        torch.testing.assert_close(mapped(watched.traces[1]), exact[:, 1], atol=1e-6, rtol=0)
        assert watched.verified.layers == 2 and watched.trace.specs[0].mask.bias.shape == (1, 4, 12, 12)

    def test_a_mask_of_zeros_and_lowest_numbers_is_none_that_adds(self, llama):
        mask = torch.full((2, 1, 12, 12), torch.finfo(torch.float32).min).triu(1)
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            llama(input_ids=text(llama)["input_ids"], attention_mask=mask)
        assert watched.trace.specs[0].mask.causal

    def test_state_spaces_are_not_called_what_they_are_not(self):
        mamba = hf.MambaForCausalLM(hf.MambaConfig(vocab_size=60, hidden_size=32, num_hidden_layers=2))
        with pytest.raises(BadModel, match=r"no softmax over keys \(transformers calls them"):
            tlmviz.watch(mamba)
