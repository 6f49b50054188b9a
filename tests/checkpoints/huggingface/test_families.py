"""Every family as transformers computes it: logits, attention maps and cached decoding of what our code opens."""

import json

import pytest
import torch

from tlmviz import kernels
from tlmviz.checkpoints import huggingface
from tlmviz.networks.transformer import count_parameters
from tlmviz.recording import recording

from .families import CASES, build

IDS = torch.randint(0, 91, (2, 23), generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module", params=CASES, ids=str)
def pair(request, tmp_path_factory):
    """transformers' model, and ours from what it saved."""
    theirs = build(request.param)
    folder = tmp_path_factory.mktemp("folder")
    theirs.save_pretrained(folder)
    config = huggingface.read_config(folder)
    ours = huggingface.read_network(folder, config).eval()
    return theirs, ours, folder


@torch.inference_mode()
def test_logits_are_theirs(pair):
    theirs, ours, _ = pair
    expected = theirs(IDS).logits
    assert expected.std() > 0.1
    torch.testing.assert_close(ours(IDS), expected, atol=1e-4, rtol=0)


@torch.inference_mode()
def test_maps_are_theirs(pair):
    theirs, ours, _ = pair
    expected = theirs(IDS, output_attentions=True).attentions
    with recording(lambda name: True) as record:
        ours(IDS)
    for layer, (spec, theirs_map) in enumerate(zip(ours.specs(), expected, strict=True)):
        q, k, lse = (record.values[f"blocks.{layer}.attn.{part}"] for part in ("q", "k", "lse"))
        found = kernels.attention_map(q, k, lse, spec.mask, scale=spec.scale)
        torch.testing.assert_close(found, theirs_map, atol=1e-5, rtol=0)


@torch.inference_mode()
def test_decoding_with_a_cache_is_the_full_pass(pair):
    theirs, ours, _ = pair
    cache = ours.new_cache()
    stepped = torch.cat([ours(piece, cache) for piece in IDS.split([9, 1, 12, 1], 1)], 1)
    torch.testing.assert_close(stepped, theirs(IDS).logits, atol=1e-4, rtol=0)


def test_the_configuration_counts_its_parameters(pair):
    theirs, ours, folder = pair
    # DeepSeek's bias of the choice is a buffer there, and saved as well.
    buffers = sum(b.numel() for name, b in theirs.named_buffers() if name.endswith("correction_bias"))
    parameters = sum(p.numel() for p in ours.parameters())
    assert count_parameters(ours.config) == theirs.num_parameters() + buffers == parameters
    assert ours.config.name == folder.name and f"{ours.config.n_layers} layers" in ours.config.description
    assert huggingface.recognises(folder)


def test_every_key_of_the_configuration_is_used_or_checked_or_harmless(pair):
    """Each key of transformers' own class; the values of a real file are refused or read, never passed over."""
    theirs, _, folder = pair
    values = json.loads((folder / "config.json").read_text())
    settings = huggingface.Settings(folder.name, {**theirs.config.to_dict(), **values})
    huggingface.FAMILIES[values["model_type"]].fields(settings)
    unread = {key for key in settings.values if key not in settings._taken}
    unread = {key for key in unread if not huggingface.settings.HARMLESS.fullmatch(key)}
    assert unread <= {"auto_map", "quantization_config"}
