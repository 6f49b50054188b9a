"""Feed-forward, norms, attention and blocks against their formulas, written out."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tlmviz.layers import MLP, Attention, GatedMLP, NoPositions, PostNormBlock, PreNormBlock
from tlmviz.layers.positions import ALiBi
from tlmviz.networks.transformer import NORMS
from tlmviz.tracing.trace import recording

from ..tiny import bias, config, network

X = torch.randn(2, 7, 32, generator=torch.Generator().manual_seed(3))


def close(found, wanted):
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_rmsnorm_divides_by_the_root_mean_square():
    norm = NORMS["rmsnorm"](config())
    nn.init.normal_(norm.weight)
    close(norm(X), X / (X.square().mean(-1, keepdim=True) + 1e-5).sqrt() * norm.weight)


def test_layernorm_centres_too():
    norm = NORMS["layernorm"](config())
    nn.init.normal_(norm.weight), nn.init.normal_(norm.bias)
    centred = X - X.mean(-1, keepdim=True)
    close(norm(X), centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() * norm.weight + norm.bias)


def test_swiglu_is_its_formula():
    layer = GatedMLP(32, 48, torch.nn.SiLU(), bias=True, dropout=0.0)
    nn.init.normal_(layer.gate_up.bias)
    w_gate, w_up = layer.gate_up.weight.split(48)
    b_gate, b_up = layer.gate_up.bias.split(48)
    gate = X @ w_gate.T + b_gate
    hidden = gate * torch.sigmoid(gate) * (X @ w_up.T + b_up)
    close(layer(X), hidden @ layer.down.weight.T + layer.down.bias)


@pytest.mark.parametrize("activation", [nn.ReLU(), nn.GELU()])
def test_mlp_is_its_formula(activation):
    layer = MLP(32, 48, activation, bias=True, dropout=0.0)
    pre = X @ layer.up.weight.T + layer.up.bias
    hidden = pre.clamp(min=0) if isinstance(activation, nn.ReLU) else pre * 0.5 * (1 + torch.erf(pre / 2**0.5))
    close(layer(X), hidden @ layer.down.weight.T + layer.down.bias)


@pytest.mark.parametrize("place", ["pre", "post"])
def test_norms_stand_where_the_name_says(place):
    """Each sublayer is replaced by a linear map, so that the block is a formula in four functions."""

    class Mixer(Attention):
        def __init__(self):
            nn.Module.__init__(self)
            self.map = nn.Linear(32, 32)

        def forward(self, x, positions, table, cache=None):
            return self.map(x)

    block = {"pre": PreNormBlock, "post": PostNormBlock}[place]
    norm1, norm2 = nn.LayerNorm(32), nn.LayerNorm(32)
    nn.init.normal_(norm1.weight), nn.init.normal_(norm2.weight)
    attn, mlp = Mixer(), MLP(32, 32, nn.Identity(), bias=True, dropout=0.0)
    found = block(norm1, attn, norm2, mlp)(X, NoPositions(), None)
    if place == "pre":
        middle = X + attn(norm1(X), NoPositions(), None)
        close(found, middle + mlp(norm2(middle)))
    else:
        middle = norm1(X + attn(X, NoPositions(), None))
        close(found, norm2(middle + mlp(middle)))


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("window", [None, 3])
@pytest.mark.parametrize("positions", [NoPositions(), ALiBi(4)], ids=["none", "alibi"])
class TestAttention:
    def layer(self, groups, window, positions, **changes):
        layer = Attention(config(n_kv_heads=groups, window=window, bias=True, **changes), 0)
        for parameter in layer.parameters():
            nn.init.normal_(parameter, std=0.3)
        return layer

    def formula(self, layer, groups, window, positions):
        """Head by head, from the fused weight's rows: H queries, then G keys, then G values."""
        fused = X @ layer.qkv.weight.T + layer.qkv.bias
        heads = [fused[..., 8 * i : 8 * i + 8] for i in range(4 + 2 * groups)]
        added = bias(7, 7, window=window, slopes=positions.slopes, heads=4).float()
        z = []
        for head in range(4):
            group = head * groups // 4
            k, v = heads[4 + group], heads[4 + groups + group]
            z.append((heads[head] @ k.mT / 8**0.5 + added[head]).softmax(-1) @ v)
        return torch.cat(z, -1) @ layer.proj.weight.T + layer.proj.bias

    def test_is_its_formula(self, groups, window, positions):
        layer = self.layer(groups, window, positions)
        close(layer(X, positions, None), self.formula(layer, groups, window, positions))

    def test_dropout_on_the_map_averages_out(self, groups, window, positions):
        """In training the map is dropped out, with the same mask and bias: the mean over draws is the formula."""
        layer = self.layer(groups, window, positions, attention_dropout=0.2).train()
        torch.manual_seed(0)
        draws = torch.stack([layer(X, positions, None) for _ in range(144)])
        assert draws.std(0).max() > 0.1
        wanted = self.formula(layer, groups, window, positions)
        error = (draws.mean(0) - wanted).abs() / (draws.std(0) / 12 + 1e-4)
        assert error.max() < 6  # standard errors
        close(layer.eval()(X, positions, None), wanted)


def test_attention_dropout_draws_are_off_outside_training():
    layer = Attention(config(attention_dropout=0.5, dropout=0.5), 0).eval()
    assert torch.equal(layer(X, NoPositions(), None), layer(X, NoPositions(), None))


def test_the_lse_tap_is_each_rows_logsumexp():
    model = network()
    with recording() as record:
        model(torch.arange(9)[None])
    q, k, lse = (record.values[f"blocks.0.attn.{part}"] for part in ("q", "k", "lse"))
    scores = (q @ k.mT / 8**0.5).masked_fill(torch.ones(9, 9).triu(1).bool(), -torch.inf)
    close(lse, scores.logsumexp(-1))


def test_taps_show_what_passed():
    """The named places of a block are consistent with each other."""
    model = network(bias=True)
    with recording() as record:
        model(torch.arange(9)[None])
    at = {
        name.removeprefix("blocks.0."): value for name, value in record.values.items() if name.startswith("blocks.0.")
    }
    block = model.blocks[0]
    close(at["resid_mid"], at["resid_pre"] + at["attn.out"])
    close(at["resid_post"], at["resid_mid"] + at["mlp.out"])
    close(at["normed_attn"], block.norm1(at["resid_pre"]))
    close(at["attn.fused"], block.attn.qkv(at["normed_attn"]))
    close(at["attn.concat"], at["attn.z"].transpose(1, 2).flatten(2))
    close(at["attn.out"], block.attn.proj(at["attn.concat"]))
    gate, up = block.mlp.gate_up(at["normed_mlp"]).chunk(2, -1)
    close(at["mlp.pre"], gate)
    close(at["mlp.hidden"], F.silu(gate) * up)
