"""Both networks of scenes against cross-attention written plainly, and what each of them must not depend on."""

import pytest
import torch

from tests import tiny
from tests.tiny import sentence
from tlmviz.errors import BadConfig
from tlmviz.recording import recording

PICTURES = 16 * torch.rand(2, 24, 24, generator=torch.Generator().manual_seed(1))
WORDS = torch.tensor([[5, 7, 9, 11, 0, 4], [6, 7, 9, 12, 0, 8]])


def test_patches_are_cut_row_by_row():
    network = tiny.picture_reader().network
    picture = torch.zeros(1, 24, 24)
    picture[0, 4:8, 20:24] = 16.0  # the last patch of the second row
    with recording() as record:
        network.look(picture)
    first = record.values["image.0.resid_pre"][0] - network.place_emb.weight
    bias = network.patch_emb.bias
    ink = network.patch_emb.weight.sum(1) + bias
    torch.testing.assert_close(first[11], ink, atol=1e-5, rtol=0)
    torch.testing.assert_close(first[[0, 10, 12, 35]], bias.expand(4, -1), atol=1e-5, rtol=0)


@pytest.mark.parametrize("make, queries", [(tiny.picture_reader, 6), (tiny.picture_marker, 36)])
def test_cross_attention_is_the_formula(make, queries):
    """softmax(QK^T / sqrt(d)) V in float64, with Q of the words and K, V of the patches, or the other way round."""
    network = make().network
    with recording() as record:
        network(PICTURES, WORDS)
    for layer in range(len(network.cross)):
        q, k, v, z = (record.values[f"cross.{layer}.cross.{name}"].double() for name in "qkvz")
        assert q.shape[2] == queries and k.shape[2] == 42 - queries
        torch.testing.assert_close((q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v, z, atol=1e-5, rtol=0)


def test_a_word_does_not_see_those_behind_it():
    network = tiny.picture_reader().network
    other = WORDS.clone()
    other[:, 4:] = 3
    logits, changed = network(PICTURES, WORDS), network(PICTURES, other)
    torch.testing.assert_close(changed[:, :4], logits[:, :4], atol=1e-5, rtol=0)
    assert (changed[:, 4:] - logits[:, 4:]).abs().max() > 1e-2


def test_every_patch_sees_every_word_and_the_other_way_round():
    reader, marker = tiny.picture_reader().network, tiny.picture_marker().network
    painted = PICTURES.clone()
    painted[:, -1, -1] = 16 - painted[:, -1, -1]
    assert (reader(painted, WORDS) - reader(PICTURES, WORDS)).abs().amax(-1).min() > 1e-4
    other = WORDS.clone()
    other[:, 3] = 30
    assert (marker(PICTURES, other) - marker(PICTURES, WORDS)).abs().min() > 1e-5


@pytest.mark.parametrize(
    "change",
    [
        dict(patch=5),
        dict(n_heads=3),
        dict(kind="pointer"),
        dict(text_layers=1),
        dict(cross_layers=0),
        dict(norm_place="post"),
        dict(positions="alibi"),
        dict(d_model=2.5),
    ],
)
def test_a_configuration_of_no_network(change):
    with pytest.raises(BadConfig) as error:
        tiny.scenes_config(**{"kind": "scenes", **change})
    sentence(error)
