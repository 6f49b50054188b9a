"""The three attentions of a Transformer that translates, and its copies without the mask."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from tests import tiny
from tlmviz.analysis.translation import masks
from tlmviz.checkpoints import native as zoo
from tlmviz.errors import BadCheckpoint, BadText, UnknownName
from tlmviz.recording import recording

TEXT = "Lily had a red ball."


@pytest.fixture(scope="module")
def mt(tokenizer):
    return tiny.translator(tokenizer)


@pytest.fixture(scope="module")
def translation(mt):
    return [*mt.encode_target("Tom saw a big dog."), mt.tokenizer.end_of_text]


@pytest.fixture(scope="module")
def maps(mt, translation):
    return masks.read(mt, TEXT, translation)


@pytest.mark.parametrize("part, causal", [("encoder", False), ("decoder", True), ("cross", False)])
def test_maps_are_the_softmax_of_all_allowed_products(mt, translation, maps, part, causal):
    source, given = (torch.tensor([mt.encode(TEXT)]), torch.tensor([[mt.tokenizer.end_of_text, *translation[:-1]]]))
    with torch.inference_mode(), recording() as record:
        mt.network(source, given)
    stack, sublayer = ("decoder", "cross") if part == "cross" else (part, "attn")
    for layer, found in enumerate(getattr(maps, part)):
        q, k = (record.values[f"{stack}.{layer}.{sublayer}.{name}"] for name in ("q", "k"))
        np.testing.assert_allclose(found, tiny.probabilities(q, k, causal=causal)[0], atol=1e-6)


def test_rows_are_the_shifted_target_and_losses_those_of_a_reading(mt, translation, maps):
    sizes = len(mt.encode(TEXT)), len(translation)
    assert maps.encoder.shape == (2, 2, sizes[0], sizes[0])
    assert maps.decoder.shape == (2, 2, sizes[1], sizes[1]) and maps.cross.shape == (2, 2, sizes[1], sizes[0])
    reading = mt.read(TEXT, translation)
    np.testing.assert_allclose(maps.logp, reading.logp, atol=1e-5)
    np.testing.assert_allclose(
        maps.cross.reshape(4, *maps.cross.shape[2:]).swapaxes(0, 1), reading.attention, atol=1e-6
    )


def test_one_token_is_enough_or_none_and_an_empty_sentence_is_not(mt):
    one = masks.read(mt, "a", [mt.tokenizer.end_of_text])
    assert one.decoder.shape[-2:] == (1, 1) and np.isfinite(one.logp).all()
    none = masks.read(mt, "a", [])
    assert none.logp.shape == (0,) and none.decoder.shape[-2:] == (1, 1)  # the end-of-text token at the start is read
    with pytest.raises(BadText):
        masks.read(mt, "", [1])


def test_a_copy_without_the_mask_looks_ahead_and_the_model_does_not(mt, translation, maps):
    seen = masks.read(masks.unmasked(mt), TEXT, translation)
    assert not np.triu(maps.decoder, 1).any() and np.triu(seen.decoder, 1).sum() > 1
    np.testing.assert_array_equal(seen.encoder, maps.encoder)
    again = masks.read(mt, TEXT, translation)
    np.testing.assert_array_equal(again.decoder, maps.decoder)  # the model itself kept its mask


def test_the_last_token_is_told_by_the_future_alone(mt, translation):
    """What the mask is for: without it, a later token changes the losses before it."""
    other = [*translation[:-2], translation[-2] + 1, translation[-1]]
    kept = slice(0, len(translation) - 3)
    for translator, leaks in ((mt, False), (masks.unmasked(mt), True)):
        one, two = (masks.read(translator, TEXT, target).logp[kept] for target in (translation, other))
        assert (np.abs(one - two).max() > 1e-4) == leaks


def test_rotated_cross_attention_sees_the_distance_alone(mt, translation, maps):
    """Its scores are those of plain queries and keys, turned against each other by t - u (RoFormer, Eq. 16)."""
    copy = masks.rotated(mt)
    source, given = (torch.tensor([mt.encode(TEXT)]), torch.tensor([[mt.tokenizer.end_of_text, *translation[:-1]]]))
    kept = []
    for network in (mt.network, copy.network):
        with torch.inference_mode(), recording(lambda name: name.startswith("decoder.0.cross.")) as record:
            network(source, given)
        kept.append(record.values)
    (q, k), found = (
        (kept[0][f"decoder.0.cross.{name}"][0].double() for name in "qk"),
        masks.read(copy, TEXT, translation),
    )
    positions = copy.network.positions
    scores = torch.zeros(*q.shape[:2], k.shape[1], dtype=torch.float64)
    for t in range(q.shape[1]):
        for u in range(k.shape[1]):
            turn = positions.cos_sin(torch.tensor([t - u]))  # one turn by the distance, none of the key
            scores[:, t, u] = (positions.rotate(q[:, t : t + 1].float(), turn)[:, 0].double() * k[:, u]).sum(-1)
    expected = (scores * q.shape[-1] ** -0.5).softmax(-1)
    np.testing.assert_allclose(found.cross[0], expected, atol=1e-5)
    assert np.abs(found.cross - maps.cross).max() > 1e-3
    np.testing.assert_array_equal(masks.read(mt, TEXT, translation).cross, maps.cross)  # the model itself has none


def test_a_rotated_copy_writes_what_it_says_of_a_given_text(mt, translation):
    """Token by token with a cache, queries turn by their own place."""
    network = masks.rotated(mt).network
    given = [mt.tokenizer.end_of_text, *translation[:-1]]
    source = torch.tensor([mt.encode(TEXT)])
    with torch.inference_mode():
        whole = network(source, torch.tensor([given]))[0]
        writing = network.start(source)
        steps = torch.stack([network.step(torch.tensor([i]), writing)[0] for i in given])
    torch.testing.assert_close(steps, whole, atol=1e-4, rtol=1e-4)


@pytest.fixture
def folder(mt, tmp_path):
    zoo.save_network(tmp_path / "tiny", mt.network, mt.tokenizer)
    return tmp_path / "tiny"


def test_learned_weights_replace_the_self_attention_and_nothing_else(mt, folder):
    assert masks.unmasked_weights(folder, mt.network) is None
    own = masks.self_attention(mt.network)
    assert len(own) == 2 * 3 and not any("cross" in name or "encoder" in name for name in own)
    save_file({name: (value + 1).contiguous() for name, value in own.items()}, folder / masks.UNMASKED)
    learned = masks.unmasked_weights(folder, mt.network)
    changed = masks.unmasked(mt, learned).network.state_dict()
    for name, value in mt.network.state_dict().items():
        torch.testing.assert_close(changed[name], value + 1 if name in own else value)


@pytest.mark.parametrize("spoil", ["shape", "name", "nan", "bytes"])
def test_a_damaged_file_is_one_sentence(mt, folder, spoil):
    weights = {name: value.clone().contiguous() for name, value in masks.self_attention(mt.network).items()}
    name = next(iter(weights))
    if spoil == "shape":
        weights[name] = torch.zeros(3)
    elif spoil == "name":
        weights["decoder.9.attn.qkv.weight"] = weights.pop(name)
    elif spoil == "nan":
        weights[name] = torch.full_like(weights[name], torch.nan)
    save_file(weights, folder / masks.UNMASKED)
    if spoil == "bytes":
        (folder / masks.UNMASKED).write_bytes(b"no tensors")
    with pytest.raises(BadCheckpoint) as error:
        masks.unmasked_weights(folder, mt.network)
    tiny.sentence(error)


def test_an_unknown_model_is_named(mt):
    with pytest.raises(UnknownName):
        masks.unmasked_weights("no-such-model", mt.network)
