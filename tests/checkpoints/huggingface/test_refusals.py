"""What is not reproduced is refused by name, and damaged folders end in one sentence; nothing is ever unpickled or
run."""

import json
import pickle
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.tiny import sentence
from tlmviz.checkpoints import huggingface, memory
from tlmviz.errors import BadCheckpoint

from .families import build

IDS = torch.arange(20)[None]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Folders that transformers wrote, by case."""
    root, folders = tmp_path_factory.mktemp("saved"), {}

    def folder(name):
        if name not in folders:
            folders[name] = root / name.replace(" ", "-")
            build(name).save_pretrained(folders[name])
        return folders[name]

    return folder


@pytest.fixture
def llama(saved, tmp_path):
    """A fresh copy of a small Llama's folder."""
    return shutil.copytree(saved("llama"), tmp_path / "small")


def change(folder, **values):
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | values))
    return folder


def rewrite(folder, edit):
    """The folder with its tensors edited."""
    weights = load_file(folder / "model.safetensors")
    edit(weights)
    save_file({name: value.contiguous() for name, value in weights.items()}, folder / "model.safetensors")
    return folder


def refused(folder):
    with pytest.raises(BadCheckpoint) as error:
        huggingface.read_network(folder, huggingface.read_config(folder))
    return sentence(error)


REFUSED = {
    "an unknown family": (dict(model_type="mamba"), 'model_type "mamba"'),
    "no family": (dict(model_type=None), "model_type null"),
    "a list for a family": (dict(model_type=["llama"]), "model_type"),
    "experts under an unknown name": (dict(num_local_experts=8), "num_local_experts 8"),
    "code of its own": (dict(auto_map={"AutoModelForCausalLM": "code.Model"}), "never runs"),
    "quantised": (dict(quantization_config={"quant_method": "gptq"}), "quantization_config"),
    "a classifier": (dict(architectures=["LlamaForSequenceClassification"]), "LlamaForSequenceClassification"),
    "an unknown activation": (dict(hidden_act="relu2"), 'hidden_act "relu2"'),
    "long RoPE": (dict(rope_parameters=dict(rope_type="longrope", long_factor=[1.0])), 'rope_type "longrope"'),
    "dynamic NTK": (dict(rope_parameters=dict(rope_type="dynamic", factor=2.0)), "dynamic"),
    "an unknown key of RoPE": (
        dict(rope_parameters=dict(rope_type="linear", factor=2.0, warp=3)),
        "rope_parameters.warp",
    ),
    "a scaling below 1": (dict(rope_parameters=dict(rope_type="linear", factor=0.5)), "factor 0.5"),
    "no factor": (dict(rope_parameters=dict(rope_type="linear")), "rope_parameters.factor"),
    "bands that cross": (
        dict(rope_parameters=dict(rope_type="llama3", factor=2.0, low_freq_factor=4, high_freq_factor=1)),
        "low_freq_factor",
    ),
    "heads that do not fit": (dict(num_key_value_heads=4), "num_key_value_heads 4"),
    "an odd head": (dict(head_dim=5), "partial_rotary_factor"),
    "no width": (dict(hidden_size=None), "no hidden_size"),
    "a width that is a text": (dict(hidden_size="36"), 'hidden_size "36"'),
    "no layers": (dict(num_hidden_layers=0), "num_hidden_layers 0"),
    "a flag that is a number": (dict(attention_bias=1), "attention_bias 1"),
    "eps of nothing": (dict(rms_norm_eps=0), "rms_norm_eps 0"),
    "a vast width that the files have not": (
        dict(hidden_size=10**9),
        "is [91, 36], config.json asks for [91, 1000000000]",
    ),
    "a vast model": (dict(hidden_size=6 << 30, intermediate_size=1 << 30), "config.json asks for"),
    "layers without end": (dict(num_hidden_layers=1 << 20, hidden_size=6, head_dim=2, intermediate_size=1), "layers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_llama_is_refused_for(case, llama):
    changes, said = REFUSED[case]
    assert said in refused(change(llama, **changes))


OTHERS = {
    "another choice of experts": (
        "deepseek_v3",
        dict(first_k_dense_replace=1, moe_intermediate_size=9, topk_method="greedy"),
        'topk_method "greedy"',
    ),
    "other scores of experts": ("deepseek_v2", dict(first_k_dense_replace=1, scoring_func="sigmoid"), "scoring_func"),
    "experts in every second layer": (
        "deepseek_v3",
        dict(first_k_dense_replace=1, moe_layer_freq=2),
        "moe_layer_freq 2",
    ),
    "experts with another activation": ("mixtral", dict(hidden_act="gelu"), 'hidden_act "gelu"'),
    "biases in latent attention": ("deepseek_v3", dict(attention_bias=True), "attention_bias true"),
    "a scale per layer": ("gpt2", dict(scale_attn_by_inverse_layer_idx=True), "scale_attn_by_inverse_layer_idx true"),
    "sight in both directions": ("gemma3", dict(use_bidirectional_attention=True), "use_bidirectional_attention"),
    "norms of StableLM": ("stablelm", dict(qk_layernorm=True), "qk_layernorm true"),
    "unknown kinds of layers": ("qwen3", dict(layer_types=["linear_attention"] * 3), "layer_types"),
    "too few kinds of layers": ("qwen3", dict(layer_types=["full_attention"]), "layer_types"),
    "layers that turn by half": ("smollm3", dict(no_rope_layers=[0.5] * 5), "no_rope_layers"),
    "two dimensions too many": (
        "gpt_neox",
        dict(rope_parameters=dict(partial_rotary_factor=1.5)),
        "partial_rotary_factor 1.5",
    ),
    "a scaling of local layers": (
        "gemma3",
        dict(rope_parameters=dict(sliding_attention=dict(rope_type="linear", factor=2.0), full_attention={})),
        "rope_parameters",
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_families_are_refused_for(case, saved, tmp_path):
    name, changes, said = OTHERS[case]
    assert said in refused(change(shutil.copytree(saved(name), tmp_path / "folder"), **changes))


def test_refusals_say_what_to_do(llama):
    assert "tlmviz.watch(model)" in refused(change(llama, model_type="mamba"))
    assert "tlmviz.watch(model)" in refused(change(llama, model_type="llama", num_experts=4))


def test_keys_that_say_nothing_are_passed_over(llama):
    change(llama, use_magic=False, extra=None, unsloth_version="2026.1", torch_dtype="bfloat16", _name_or_path="x")
    huggingface.read_network(llama, huggingface.read_config(llama))


# --- damaged files -----------------------------------------------------------------------------------


def test_config_that_is_no_json(llama):
    (llama / "config.json").write_text('{"model_type": "llama"')
    assert "not valid JSON" in refused(llama) and not huggingface.recognises(llama)
    (llama / "config.json").write_text("[1]")
    assert "object" in refused(llama)
    (llama / "config.json").write_bytes(b"\xff\xfe")
    assert "cannot be read" in refused(llama)
    (llama / "config.json").unlink()
    assert "cannot be read" in refused(llama) and not huggingface.recognises(llama)


@pytest.mark.parametrize("name", ["llama", "gpt2", "gemma2", "qwen2_moe", "qwen3_moe"])
def test_layers_without_end_are_refused_before_any_is_counted(name, saved, tmp_path):
    folder = shutil.copytree(saved(name), tmp_path / "small")
    key = "n_layer" if name == "gpt2" else "num_hidden_layers"
    assert "at most 1,000" in refused(change(folder, **{key: 10**9}))


def test_our_own_folders_are_not_recognised(tmp_path):
    (tmp_path / "config.json").write_text('{"name": "ours", "attention": {"n_heads": 2}}')
    assert not huggingface.recognises(tmp_path)


def test_no_weights(llama):
    (llama / "model.safetensors").unlink()
    assert "lacks model.safetensors" in refused(llama)


def test_pickles_are_named_and_left_alone(llama):
    class Bomb:
        def __reduce__(self):
            return (llama.joinpath("exploded").touch, ())

    (llama / "model.safetensors").unlink()
    (llama / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb()))
    assert "pytorch_model.bin is a pickle" in refused(llama)
    assert not (llama / "exploded").exists()


@pytest.mark.parametrize("kept", [0, 4, 200, -1])
def test_truncated(llama, kept):
    file = llama / "model.safetensors"
    file.write_bytes(file.read_bytes()[:kept])
    assert "truncated" in refused(llama)


def test_nan(llama):
    def edit(weights):
        weights["model.layers.1.mlp.up_proj.weight"][3, 4] = torch.nan

    assert "layers.1.mlp.up_proj.weight holds NaN" in refused(rewrite(llama, edit))


def test_wrong_shapes(llama):
    """Even where they add up: q and k of one another's sizes."""

    def edit(weights):
        q, k = (f"model.layers.0.self_attn.{letter}_proj.weight" for letter in "qk")
        weights[q], weights[k] = weights[k].clone(), weights[q].clone()

    assert "layers.0.self_attn.q_proj.weight is [12, 36]" in refused(rewrite(llama, edit))


def test_tensors_too_few_and_too_many(llama):
    assert "lacks layers.2.mlp.up_proj.weight" in refused(
        rewrite(llama, lambda weights: weights.pop("model.layers.2.mlp.up_proj.weight"))
    )
    assert "lacks" in refused(change(llama, num_hidden_layers=4))
    assert "no place for" in refused(change(llama, num_hidden_layers=1))


def test_integers_are_no_weights(llama):
    name = "model.layers.0.mlp.up_proj.weight"
    said = refused(rewrite(llama, lambda weights: weights.update({name: weights[name].to(torch.int8)})))
    assert "I8" in said and "tlmviz.watch" in said


def test_a_head_of_its_own_beside_a_tied_one(llama):
    assert "tie_word_embeddings" in refused(change(llama, tie_word_embeddings=True))
    rewrite(llama, lambda weights: weights.update({"lm_head.weight": weights["model.embed_tokens.weight"].clone()}))
    huggingface.read_network(llama, huggingface.read_config(llama))


class TestShards:
    @pytest.fixture
    def sharded(self, tmp_path):
        build("llama").save_pretrained(tmp_path / "sharded", max_shard_size="20KB")
        return tmp_path / "sharded"

    def index(self, folder, edit):
        file = folder / "model.safetensors.index.json"
        values = json.loads(file.read_text())
        edit(values)
        file.write_text(json.dumps(values))
        return folder

    def test_they_are_read_as_one(self, sharded, saved):
        assert len(list(sharded.glob("*.safetensors"))) > 2
        ours, whole = (
            huggingface.read_network(folder, huggingface.read_config(folder)) for folder in (sharded, saved("llama"))
        )
        assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), whole.parameters(), strict=True))
        assert huggingface.needed_bytes(sharded) == huggingface.needed_bytes(saved("llama"))

    def test_a_missing_shard(self, sharded):
        missing = sorted(sharded.glob("*.safetensors"))[1]
        missing.unlink()
        assert f"lacks {missing.name}" in refused(sharded)

    def test_an_index_that_names_absent_tensors(self, sharded):
        def edit(index):
            index["weight_map"]["model.layers.9.weight"] = sorted(index["weight_map"].values())[0]

        assert "holds model.layers.9.weight, and it does not" in refused(self.index(sharded, edit))

    @pytest.mark.parametrize("name", ["../small/model.safetensors", "/etc/passwd", 3, "absent.safetensors"])
    def test_an_index_that_names_other_files(self, sharded, name):
        def edit(index):
            index["weight_map"][next(iter(index["weight_map"]))] = name

        assert str(name) in refused(self.index(sharded, edit))

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"weight_map": []}', '{"weight_map": {}}'])
    def test_an_index_that_is_none(self, sharded, text):
        (sharded / "model.safetensors.index.json").write_text(text)
        assert "model.safetensors.index.json" in refused(sharded)


# --- memory and precision ------------------------------------------------------------------------------


def test_needed_bytes_are_the_model_and_its_largest_tensor(llama):
    weights = load_file(llama / "model.safetensors")
    counts = [value.numel() for value in weights.values()]
    assert huggingface.needed_bytes(llama) == 4 * (sum(counts) + max(counts))
    rewrite(llama, lambda weights: weights.update({name: value.half() for name, value in weights.items()}))
    assert huggingface.needed_bytes(llama) == 4 * (sum(counts) + max(counts))  # float32 whatever the file holds


def test_too_large_a_folder_is_refused_before_it_is_read(llama, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 90_000)
    monkeypatch.setattr(huggingface.WeightFiles, "tensor", None)
    said = refused(llama)
    assert "0.0 GB" in said and "small needs" in said


def test_available_memory_is_that_of_the_machine_or_its_container(tmp_path, monkeypatch):
    (tmp_path / "meminfo").write_text("MemTotal: 900 kB\nMemAvailable: 500 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CONTAINERS", ())
    assert memory.available_bytes() == 500 * 1024
    for name, value in (("limit", "300000"), ("use", "100000"), ("free", "max")):
        (tmp_path / name).write_text(value)
    monkeypatch.setattr(memory, "CONTAINERS", ((tmp_path / "limit", tmp_path / "use"),))
    assert memory.available_bytes() == 200_000
    monkeypatch.setattr(memory, "CONTAINERS", ((tmp_path / "free", tmp_path / "use"),))
    assert memory.available_bytes() == 500 * 1024
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "absent")
    assert memory.available_bytes() > 10**8


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
@torch.inference_mode()
def test_other_precisions_become_float32(saved, tmp_path, dtype):
    """Gemma's 1 + w is added in float32: in 16 bits it would be rounded once more."""
    folder = tmp_path / "gemma"
    build("gemma3").to(dtype).save_pretrained(folder)
    ours = huggingface.read_network(folder, huggingface.read_config(folder))
    assert {parameter.dtype for parameter in ours.parameters()} == {torch.float32}
    stored = load_file(folder / "model.safetensors")["model.layers.0.input_layernorm.weight"]
    assert torch.equal(ours.blocks[0].norm1.weight, stored.float() + 1)


def test_base_models_have_no_prefix(saved, tmp_path):
    """A file of GPT-2 without its prefix, with the tables that older files hold, is the same model."""
    folder = shutil.copytree(saved("gpt2"), tmp_path / "base")

    def edit(weights):
        for name in list(weights):
            weights[name.removeprefix("transformer.")] = weights.pop(name)
        weights["h.0.attn.bias"] = torch.ones(1, 1, 64, 64)
        weights["h.0.attn.masked_bias"] = torch.tensor(-1e4)

    rewrite(folder, edit)
    ours, whole = (huggingface.read_network(f, huggingface.read_config(f)) for f in (folder, saved("gpt2")))
    assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), whole.parameters(), strict=True))


OLD = {
    "llama 3": dict(
        rope_theta=5000.0,
        rope_scaling=dict(
            type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16
        ),
    ),
    "gpt_neox": dict(rotary_emb_base=10000, rotary_pct=0.25),
    "gemma3 scaled": dict(
        rope_theta=1e6,
        rope_local_base_freq=1e4,
        rope_scaling=dict(rope_type="linear", factor=8.0),
        layer_types=None,
        sliding_window_pattern=6,
    ),
    "qwen2 with windows": dict(rope_theta=10000.0, rope_scaling=None, layer_types=None),
    "phi": dict(rope_theta=10000.0, partial_rotary_factor=0.5),
    "smollm3": dict(rope_theta=2e6, layer_types=None),
}


@pytest.mark.parametrize("name", OLD)
def test_older_spellings_mean_the_same(name, saved, tmp_path):
    folder = saved(name)
    older = shutil.copytree(folder, tmp_path / folder.name)
    change(older, rope_parameters=None, **OLD[name])
    assert huggingface.read_config(older) == huggingface.read_config(folder)
