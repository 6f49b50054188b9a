"""Attention to another text against PyTorch's own, and who sees whom in an encoder and a decoder's block."""

import pytest
import torch
from torch import nn

from tlmviz.config import EncoderDecoderConfig
from tlmviz.layers import MLP, Attention, CrossAttention, CrossBlock, RoPE
from tlmviz.networks.transformer import NORMS
from tlmviz.recording import recording
from tlmviz.tracing.trace import name_taps

CONFIG = EncoderDecoderConfig.of("tiny", d_model=24, n_heads=3, d_ff=32, bias=True)
GENERATOR = torch.Generator().manual_seed(5)
X, MEMORY = torch.randn(2, 4, 24, generator=GENERATOR), torch.randn(2, 7, 24, generator=GENERATOR)


def torch_attention(layer):
    """nn.MultiheadAttention with the same weights."""
    same = nn.MultiheadAttention(24, 3, batch_first=True)
    same.in_proj_weight.data = torch.cat((layer.query.weight, layer.kv.weight))
    same.in_proj_bias.data = torch.cat((layer.query.bias, layer.kv.bias))
    same.out_proj.load_state_dict(layer.proj.state_dict())
    return same


def test_cross_attention_is_pytorch_s():
    layer = name_taps(CrossAttention(CONFIG))
    for linear in (layer.query, layer.kv, layer.proj):
        nn.init.normal_(linear.bias)
    with torch.no_grad(), recording() as record:
        found = layer(X, *layer.keys_values(MEMORY))
        wanted, maps = torch_attention(layer)(X, MEMORY, MEMORY, average_attn_weights=False)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-4)
    scores = record.values["q"] @ record.values["k"].transpose(-1, -2) * layer.spec().scale
    torch.testing.assert_close((scores - record.values["lse"][..., None]).exp(), maps, atol=1e-5, rtol=1e-4)


def test_every_token_sees_the_whole_source():
    layer = CrossAttention(CONFIG)
    memory = MEMORY.clone().requires_grad_()
    for t in range(4):
        (gradient,) = torch.autograd.grad(layer(X, *layer.keys_values(memory))[0, t].sum(), memory)
        assert (gradient[0].abs().sum(-1) > 0).all() and gradient[1].abs().max() == 0


@pytest.mark.parametrize("causal", [True, False])
def test_an_encoder_sees_both_sides_a_decoder_none_of_the_future(causal):
    layer, positions = Attention(CONFIG, 0, causal), RoPE(8, 10000.0)
    x = X.clone().requires_grad_()
    out = layer(x, positions, positions.cos_sin(torch.arange(4)))
    for t in range(4):
        (gradient,) = torch.autograd.grad(out[0, t].sum(), x, retain_graph=True)
        seen = gradient[0].abs().sum(-1) > 0
        assert seen.tolist() == [s <= t or not causal for s in range(4)]
    assert layer.spec(positions).mask.causal is causal


def test_a_decoder_s_block_is_three_residual_steps():
    def norm():
        return NORMS["rmsnorm"](CONFIG)

    block = CrossBlock(
        norm(), Attention(CONFIG, 0), norm(), CrossAttention(CONFIG), norm(), MLP(24, 24, nn.ReLU(), True, 0.0)
    )
    positions = RoPE(8, 10000.0)
    cos_sin, memory = positions.cos_sin(torch.arange(4)), block.cross.keys_values(MEMORY)
    x = X + block.attn(block.norm1(X), positions, cos_sin)
    x = x + block.cross(block.norm_cross(x), *memory)
    x = x + block.mlp(block.norm2(x))
    torch.testing.assert_close(block(X, positions, cos_sin, memory), x)
