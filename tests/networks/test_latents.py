"""The latent array against plain formulas, and what it must not depend on."""

from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from tests import tiny
from tests.tiny import sentence
from tlmviz.config import LatentsConfig
from tlmviz.errors import BadConfig
from tlmviz.recording import recording

PICTURES = torch.rand(3, 24, 24, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def network():
    return tiny.digit_reader().network


def plain_attention(part, reader, source):
    """002 Eq. 9-11, head by head."""
    q, (k, v) = part.query(reader), part.kv(source).chunk(2, -1)
    heads = []
    for cut in torch.arange(q.shape[-1]).chunk(part.heads):
        scores = q[..., cut] @ k[..., cut].transpose(1, 2) / len(cut) ** 0.5
        heads.append(scores.softmax(-1) @ v[..., cut])
    return part.proj(torch.cat(heads, -1))


def plain_norm(norm, x):
    return F.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, norm.eps)


def plain_pass(network, pictures):
    """The notes' block (002 section 3.6) with a feed-forward layer, then a question for each cell, in float64."""
    rows, columns = torch.arange(24)[:, None], torch.arange(24)[None]
    cell, within = 3 * (rows // 8) + columns // 8, 8 * (rows % 8) + columns % 8
    places = (network.cell[cell] + network.place[within]).reshape(24 * 24, -1)
    x = plain_norm(network.norm_in, network.value(pictures.reshape(len(pictures), -1, 1)) + places)
    z = network.latents.expand(len(x), -1, -1)
    for block in network.blocks:
        z = z + plain_attention(block.read, plain_norm(block.norm_read, z), x)
        normed = plain_norm(block.norm_mix, z)
        z = z + plain_attention(block.mix, normed, normed)
        z = z + block.mlp.down(F.gelu(block.mlp.up(plain_norm(block.norm_mlp, z))))
    z, answer = plain_norm(network.norm_out, z), network.answer
    asked = answer.questions.expand(len(z), -1, -1)
    found = asked + plain_attention(answer.read, plain_norm(answer.norm_read, asked), z)
    found = found + answer.mlp.down(F.gelu(answer.mlp.up(plain_norm(answer.norm_mlp, found))))
    return answer.head(plain_norm(answer.norm_out, found))


def test_the_pass_is_the_formula(network):
    double = tiny.digit_reader().network.double()
    expected = plain_pass(double, PICTURES.double())
    torch.testing.assert_close(network(PICTURES).double(), expected, atol=1e-4, rtol=0)


def test_the_order_of_the_latents_is_nothing_to_it():
    network = tiny.digit_reader().network
    before = network(PICTURES)
    network.latents.data = network.latents.data[[2, 0, 1]]
    torch.testing.assert_close(network(PICTURES), before, atol=1e-5, rtol=0)


def test_each_picture_is_read_alone(network):
    one_by_one = torch.cat([network(picture[None]) for picture in PICTURES])
    torch.testing.assert_close(network(PICTURES), one_by_one, atol=1e-5, rtol=0)


def test_what_is_muted_is_not_heard(network):
    kept = torch.tensor([True, False, True])
    changed = tiny.digit_reader().network
    changed.latents.data[1] *= -1
    assert not torch.allclose(changed(PICTURES), network(PICTURES), atol=1e-3)
    torch.testing.assert_close(changed(PICTURES, kept), network(PICTURES, kept), atol=1e-5, rtol=0)


def test_the_taps_have_the_shapes_that_are_said(network):
    with recording() as record:
        network(PICTURES)
    shapes = {name: tuple(value.shape) for name, value in record.values.items()}
    assert shapes["x"] == (3, 576, 16) and shapes["z"] == (3, 3, 16)
    assert shapes["blocks.1.read.q"] == (3, 2, 3, 8) and shapes["blocks.1.read.k"] == (3, 2, 576, 8)
    assert shapes["answer.read.q"] == (3, 2, 9, 8) and shapes["answer.read.k"] == (3, 2, 3, 8)
    assert shapes["blocks.0.mix.k"] == (3, 2, 3, 8) and shapes["blocks.0.read.lse"] == (3, 2, 3)


@pytest.mark.parametrize(
    "change",
    [dict(n_heads=5), dict(n_latents=0), dict(classes=1), dict(dropout=1.0), dict(kind="pointer"), dict(side=0)],
)
def test_a_configuration_of_no_network(change):
    with pytest.raises(BadConfig) as error:
        replace(LatentsConfig(name="x"), **change)
    sentence(error)
