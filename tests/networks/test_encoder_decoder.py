"""The translation Transformer against PyTorch's attention, step by step against whole, and where gradients flow."""

import pytest
import torch
from torch.nn import functional as F

from tlmviz.config import EncoderDecoderConfig
from tlmviz.networks.encoder_decoder import EncoderDecoder

from .. import tiny

SOURCE = torch.tensor([[5, 9, 2, 11, 7], [3, 3, 1, 30, 8]])
TARGET = torch.tensor([[0, 4, 6, 12], [0, 7, 7, 2]])


@pytest.fixture(scope="module")
def network():
    return tiny.translation_network("transformer", vocab_size=40)


def close(found, wanted):
    torch.testing.assert_close(found, wanted, atol=2e-5, rtol=1e-4)


def turn(x):
    """RoPE of [B, H, T, D] by complex numbers: pairs (2i, 2i + 1) turn by t * 10000^(-2i / D)."""
    length, size = x.shape[-2:]
    angles = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def heads(x):
    return x.unflatten(-1, (2, -1)).transpose(1, 2)


def self_attention(layer, x, causal):
    q, k, v = map(heads, layer.qkv(x).chunk(3, -1))
    out = F.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=causal)
    return layer.proj(out.transpose(1, 2).flatten(2))


def norm(layer, x):
    return F.rms_norm(x, x.shape[-1:], layer.weight, 1e-5)


def mlp(layer, x):
    gate, up = layer.gate_up(x).chunk(2, -1)
    return layer.down(F.silu(gate) * up)


@torch.no_grad()
def reference(network, source, target):
    """The whole pass once more, with PyTorch's attention."""

    def embed(ids):
        return F.embedding(ids, network.token_emb.weight) * 4  # sqrt(16)

    memory = embed(source)
    for block in network.encoder:
        memory = memory + self_attention(block.attn, norm(block.norm1, memory), False)
        memory = memory + mlp(block.mlp, norm(block.norm2, memory))
    memory = norm(network.encoder_norm, memory)
    x = embed(target)
    for block in network.decoder:
        x = x + self_attention(block.attn, norm(block.norm1, x), True)
        q, (k, v) = (
            heads(block.cross.query(norm(block.norm_cross, x))),
            map(heads, block.cross.kv(memory).chunk(2, -1)),
        )
        x = x + block.cross.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        x = x + mlp(block.mlp, norm(block.norm2, x))
    return norm(network.decoder_norm, x) @ network.token_emb.weight.T


def test_the_pass_is_the_reference(network):
    close(network(SOURCE, TARGET), reference(network, SOURCE, TARGET))


def test_step_by_step_equals_whole(network):
    whole, writing = network(SOURCE, TARGET), network.start(SOURCE)
    for t in range(TARGET.shape[1]):
        assert writing.cache.length == t
        close(network.step(TARGET[:, t], writing), whole[:, t])


def test_several_tokens_at_once_continue_the_cache(network):
    writing = network.start(SOURCE)
    first = network.decode(TARGET[:, :3], writing.memory, writing.cache)
    rest = network.decode(TARGET[:, 3:], writing.memory, writing.cache)
    close(torch.cat((first, rest), 1), network(SOURCE, TARGET))


def test_the_source_is_seen_from_both_sides(network):
    changed = SOURCE.clone()
    changed[:, -1] = 20
    moved = (network.encode(changed) - network.encode(SOURCE)).abs().amax(-1)
    assert (moved > 1e-4).all()


def test_the_future_is_not_seen(network):
    changed = TARGET.clone()
    changed[:, 2] = 20
    moved = (network(SOURCE, changed) - network(SOURCE, TARGET)).abs().amax(-1)
    assert moved[:, :2].max() == 0 and (moved[:, 2:] > 1e-4).all()


def test_every_target_token_sees_every_source_token(network):
    for s in range(SOURCE.shape[1]):
        changed = SOURCE.clone()
        changed[:, s] = 20
        assert ((network(changed, TARGET) - network(SOURCE, TARGET)).abs().amax(-1) > 1e-5).all()


def test_rows_do_not_meet(network):
    close(network(SOURCE, TARGET)[1:], network(SOURCE[1:], TARGET[1:]))


@pytest.mark.parametrize("changes", [{}, dict(bias=True, norm="layernorm", feedforward="relu", dropout=0.1)])
def test_gradients_reach_every_parameter(changes):
    sizes = dict(vocab_size=12, encoder_layers=2, decoder_layers=2, d_model=16, n_heads=2, d_ff=24)
    config = EncoderDecoderConfig.of("t", **sizes, **changes)
    torch.manual_seed(0)
    model = EncoderDecoder(config)
    F.cross_entropy(model(SOURCE % 12, TARGET % 12).flatten(0, 1), torch.arange(8)).backward()
    unused = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert unused == []


def test_fresh_logits_are_small():
    model = EncoderDecoder(EncoderDecoderConfig.of("t", vocab_size=500))
    with torch.no_grad():
        logits = model(SOURCE, TARGET)
    assert 0.2 < logits.std() < 3  # near-uniform beginnings: the loss starts near log V


def test_taps_have_names(network):
    names = network.tap_names()
    assert {"encoder.1.attn.q", "decoder.0.cross.lse", "decoder.1.attn.k", "memory"} <= names
    assert {"source", "target", "normed", "logits"} <= names
