"""Checkpoints: what is written can be read, and what is broken is refused in one sentence."""

import json
import pickle
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.checkpoints import native as zoo
from tlmviz.checkpoints import registry
from tlmviz.errors import BadCheckpoint, UnknownName

IDS = torch.tensor([[1, 5, 9, 200]])


@pytest.fixture(scope="module")
def model(tokenizer):
    return tiny.language_model(tokenizer)


@pytest.fixture
def folder(model, tmp_path):
    zoo.save_network(tmp_path / "tiny", model.network, model.tokenizer)
    return tmp_path / "tiny"


def refused(folder):
    with pytest.raises(BadCheckpoint) as error:
        tlmviz.load(folder)
    assert folder.name in sentence(error) or "tokenizer.json" in str(error.value)
    return str(error.value)


class TestRoundTrip:
    def test_float32_keeps_every_bit(self, variant, tmp_path):
        zoo.save_network(tmp_path / "a", variant.network, variant.tokenizer, torch.float32)
        again = tlmviz.load(tmp_path / "a")
        assert again.config == variant.config and again.n_parameters == variant.n_parameters
        torch.testing.assert_close(again(IDS), variant(IDS))  # mapped weights lie elsewhere: sums may round otherwise
        assert again.encode("Lily") == variant.encode("Lily")
        own = again.network.state_dict()
        assert all(torch.equal(own[name], value) for name, value in variant.network.state_dict().items())

    def test_float16_is_close_and_read_as_float32(self, folder, model):
        again = tlmviz.load(str(folder))
        assert {p.dtype for p in again.network.parameters()} == {torch.float32}
        torch.testing.assert_close(again(IDS), model(IDS), atol=0.05, rtol=0)

    def test_what_is_loaded_is_ready_for_inference(self, folder):
        network = tlmviz.load(folder).network
        assert not network.training and not any(p.requires_grad for p in network.parameters())
        assert not [name for name, p in network.named_parameters() if p.is_meta]

    def test_a_tied_head_is_saved_once_and_tied_again(self, folder):
        assert "head.weight" not in load_file(folder / "model.safetensors")
        network = tlmviz.load(folder).network
        assert network.head.weight is network.token_emb.weight

    def test_the_random_state_is_left_alone(self, folder):
        state = torch.get_rng_state()
        tlmviz.load(folder)
        assert torch.equal(torch.get_rng_state(), state)


class TestBroken:
    @pytest.mark.parametrize("name", zoo.FILES)
    def test_a_missing_file(self, folder, name):
        (folder / name).unlink()
        assert name in refused(folder)

    def test_an_empty_folder(self, tmp_path):
        assert all(name in refused(tmp_path) for name in zoo.FILES)

    @pytest.mark.parametrize("keep", [0, 4, 100, -1])
    def test_truncated_weights(self, folder, keep):
        path = folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:keep])
        assert "truncated" in refused(folder)

    def test_weights_that_are_something_else(self, folder):
        (folder / "model.safetensors").write_bytes(pickle.dumps({"a": 1}) * 50)
        refused(folder)

    @pytest.mark.parametrize("poison", [torch.nan, torch.inf])
    def test_numbers_that_are_none(self, folder, poison):
        weights = load_file(folder / "model.safetensors")
        weights["blocks.1.attn.proj.weight"][3, 3] = poison
        save_file(weights, folder / "model.safetensors")
        assert "blocks.1.attn.proj.weight holds NaN or infinity" in refused(folder)

    def test_a_wrong_shape(self, folder):
        weights = load_file(folder / "model.safetensors")
        weights["norm.weight"] = torch.ones(31)
        save_file(weights, folder / "model.safetensors")
        assert "norm.weight is [31], config.json asks for [32]" in refused(folder)

    @pytest.mark.parametrize("names", [["norm.weight"], ["norm.weight", "token_emb.weight", "blocks.0.norm1.weight"]])
    def test_missing_weights(self, folder, names):
        weights = load_file(folder / "model.safetensors")
        for name in names:
            del weights[name]
        save_file(weights, folder / "model.safetensors")
        text = refused(folder)
        assert f"lacks {min(names)}" in text and ("and 2 more" in text) == (len(names) == 3)

    def test_weights_too_many(self, folder):
        weights = load_file(folder / "model.safetensors") | {"blocks.7.surprise": torch.ones(2)}
        save_file(weights, folder / "model.safetensors")
        assert "blocks.7.surprise" in refused(folder)

    def test_another_models_config(self, folder, model):
        (folder / "config.json").write_text(model.config.with_(n_layers=3).to_json())
        assert "lacks blocks.2" in refused(folder)

    def test_a_config_that_asks_for_more_memory_than_there_is(self, folder, model):
        vast = replace(model.config.feedforward, hidden=1 << 44)
        (folder / "config.json").write_text(model.config.with_(feedforward=vast).to_json())
        assert "config.json describes another model" in refused(folder)

    @pytest.mark.parametrize("name", ["pytorch_model.bin", "weights.pt", "last.ckpt"])
    def test_a_pickle_is_named_and_never_opened(self, folder, tmp_path, name):
        class Trap:
            def __reduce__(self):
                return (tmp_path.joinpath("opened").touch, ())

        (folder / "model.safetensors").unlink()
        (folder / name).write_bytes(pickle.dumps(Trap()))
        text = refused(folder)
        assert name in text and "pickle" in text and not (tmp_path / "opened").exists()

    def test_another_models_tokenizer(self, folder):
        (folder / "tokenizer.json").write_text(tiny.tokenizer(290).to_json())
        text = refused(folder)
        assert "290" in text and "320" in text

    @pytest.mark.parametrize("content", ["", "{}", "nonsense", '{"model": {"type": "BPE", "vocab": {}, "merges": []}}'])
    def test_a_broken_tokenizer(self, folder, content):
        (folder / "tokenizer.json").write_text(content)
        assert "tokenizer.json" in refused(folder)

    @pytest.mark.parametrize(
        "change",
        [{"d_model": 0}, {"n_heads": 5}, {"colour": 1}, {"vocab_size": "many"}, {"name": None}, {"window": -1}],
    )
    def test_an_impossible_config(self, folder, change):
        values = json.loads((folder / "config.json").read_text()) | change
        (folder / "config.json").write_text(json.dumps(values))
        refused(folder)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\x00", b"null"])
    def test_a_malformed_config(self, folder, content):
        (folder / "config.json").write_bytes(content)
        refused(folder)


class TestNames:
    @pytest.mark.parametrize(
        "name", ["gpt-5", "no/such/folder", "x" * 5000, "a\x00b", "~nobody-of-this-name/x", "stories-rope/"]
    )
    def test_unknown_names(self, name, monkeypatch, tmp_path):
        monkeypatch.setenv("TLMVIZ_MODELS", str(tmp_path))
        with pytest.raises(UnknownName) as error:
            tlmviz.load(name)
        assert str(error.value).endswith("checkpoint folder.")

    def test_bundled_models_are_listed_and_loaded_by_name(self, folder, model, monkeypatch):
        monkeypatch.setenv("TLMVIZ_MODELS", str(folder.parent))
        (folder / "config.json").write_text(model.config.with_(description="A tiny one.").to_json())
        (folder.parent / "notes.txt").write_text("no model")
        assert registry.list_models() == {"tiny": "A tiny one."}
        assert tlmviz.load("tiny").name == "tiny"

    def test_a_name_cannot_leave_the_folder_of_models(self, folder, monkeypatch):
        monkeypatch.setenv("TLMVIZ_MODELS", str(folder.parent / "models"))
        with pytest.raises(UnknownName):
            tlmviz.load("../tiny/none")
