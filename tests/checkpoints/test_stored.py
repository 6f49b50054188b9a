"""Matrices that stay in 16 bits: the same model, half of the memory."""

import copy

import pytest
import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM

import tlmviz
from tlmviz.checkpoints import huggingface, mapped, memory, native
from tlmviz.checkpoints.stored import Stored
from tlmviz.errors import BadCheckpoint

from ..tiny import sentence
from .huggingface.families import CASES, SIZES

IDS = torch.arange(3, 40)[None]


def folder(path, name, dtype):
    """A checkpoint of a family by transformers, in a type."""
    torch.manual_seed(0)
    kind, changes = CASES[name]
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **SIZES | changes))
    model.to(dtype).save_pretrained(path)
    return path


def read(path, **options):
    config = huggingface.read_config(path)
    return native.for_inference(huggingface.read_network(path, config, **options))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["llama", "llama tied, wide heads, biases", "qwen2", "olmo2", "gemma3", "phi3"])
def test_it_is_the_same_model(tmp_path, name, dtype):
    path = folder(tmp_path, name, dtype)
    plain, own = read(path), read(path, own=True)
    for (key, theirs), ours in zip(plain.state_dict().items(), own.state_dict().values()):
        assert torch.equal(ours * 1, theirs), key
    matrices = [value for value in own.parameters() if value.ndim == 2]
    assert matrices and all(isinstance(value, Stored) and value.kept.dtype == dtype for value in matrices)
    assert not any(isinstance(value, Stored) for value in own.parameters() if value.ndim == 1)
    with torch.inference_mode():
        torch.testing.assert_close(own(IDS), plain(IDS), atol=1e-5, rtol=1e-5)


def test_matrices_in_float32_are_left_as_they_are(tmp_path):
    own = read(folder(tmp_path, "llama", torch.float32), own=True)
    assert not any(isinstance(value, Stored) for value in own.parameters())


@pytest.fixture
def linear():
    """A layer with a kept matrix, and that matrix as float32."""
    kept = torch.randn(6, 4, generator=torch.Generator().manual_seed(0)).bfloat16()
    layer = nn.Linear(4, 6, bias=False)
    layer.weight = nn.Parameter(Stored(kept.clone()), requires_grad=False)
    return layer, kept.float()


class TestStored:
    def test_every_operation_gets_float32(self, linear):
        layer, exact = linear
        x = torch.randn(3, 4, requires_grad=True)
        assert torch.equal(layer(x), x @ exact.T) and layer.weight.dtype == torch.float32
        layer(x).sum().backward()
        torch.testing.assert_close(x.grad, exact.sum(0).expand(3, 4))
        assert torch.equal(layer.weight[2], exact[2]) and layer.weight.tolist() == exact.tolist()
        assert (layer.weight.detach().numpy() == exact.numpy()).all()
        assert torch.equal(nn.functional.embedding(torch.tensor([1, 5]), layer.weight), exact[[1, 5]])

    def test_a_copy_is_kept_too_and_another_one(self, linear):
        layer, exact = linear
        twin = copy.deepcopy(layer)
        assert isinstance(twin.weight, Stored) and isinstance(twin.weight, nn.Parameter)
        twin.weight.copy_(torch.zeros(6, 4))
        assert torch.equal(layer.weight * 1, exact) and not twin.weight.any()

    def test_what_would_be_lost_is_refused(self, linear):
        layer, exact = linear
        with pytest.raises(BadCheckpoint, match="load the model without it") as error:
            layer.weight.mul_(2)
        assert sentence(error) and torch.equal(layer.weight * 1, exact)

    def test_processes_share_what_is_not_kept(self, linear):
        layer, _ = linear
        holder = type("Holder", (), {})()
        holder.network = nn.Sequential(layer, nn.Linear(2, 2))
        assert len(mapped._tensors(holder)) == 2  # the second layer's


def test_other_types_and_other_formats_are_refused():
    for dtype in ("bfloat16", "own"):
        with pytest.raises(BadCheckpoint, match=f"dtype='{dtype}'.*for a folder of Hugging Face") as error:
            tlmviz.load("stories-rope", dtype=dtype)
        assert sentence(error)


def test_memory_is_said_before_anything_is_read(tmp_path, monkeypatch):
    path = folder(tmp_path, "llama", torch.bfloat16)
    config = huggingface.read_config(path)
    with huggingface.WeightFiles(path) as files:
        whole, half = files.needed_bytes(), files.needed_bytes(own=True)
    assert half < 0.65 * whole
    monkeypatch.setattr(memory, "available_bytes", lambda: half)
    assert read(path, own=True).config == config
    with pytest.raises(BadCheckpoint, match='with dtype="own" .* GB will do') as error:
        huggingface.read_network(path, config)
    assert sentence(error)
