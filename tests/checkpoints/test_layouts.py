"""Both layouts of RoPE hold the same model: rows put in the other order and back are the rows that were given."""

import pytest
import torch

from tests import tiny
from tlmviz.checkpoints import native
from tlmviz.checkpoints.layouts import half_split, in_half_split, interleave
from tlmviz.config import ModelConfig
from tlmviz.networks.transformer import TransformerLM

CASES = {
    "heads": {},
    "grouped, all biased": dict(n_kv_heads=2, attention={f"{x}_bias": True for x in "qkvo"}),
    "a bias of queries alone": dict(n_kv_heads=2, attention={"q_bias": True}),
    "a bias of keys and values": dict(n_kv_heads=1, attention={"k_bias": True, "v_bias": True}),
    "gains over each head": dict(n_kv_heads=2, qk_norm="head"),
    "gains over all heads": dict(n_kv_heads=2, qk_norm="full"),
    "part of a head turns": dict(rotary_dim=4, attention={"q_bias": True, "k_bias": True}, qk_norm="full"),
}
IDS = torch.arange(24)[None]


def filled(config: ModelConfig) -> TransformerLM:
    """A network in which every number is drawn: fresh biases are zeros and fresh gains ones, which no order changes."""
    network = TransformerLM(config).eval()
    generator = torch.Generator().manual_seed(0)
    for parameter in network.parameters():
        parameter.data.copy_(torch.randn(parameter.shape, generator=generator))
    return network


@pytest.mark.parametrize("changes", CASES.values(), ids=CASES)
@torch.inference_mode()
def test_the_half_split_network_computes_the_same(changes):
    network = filled(tiny.config(**changes))
    twin = TransformerLM(half_split(network.config)).eval()
    assert twin.config.positions.layout == "half"
    twin.load_state_dict(network.state_dict())
    assert (twin(IDS) - network(IDS)).abs().max() > 0.01  # the order matters
    twin.load_state_dict(in_half_split(network.config, native.own_weights(network)), strict=False)
    torch.testing.assert_close(twin(IDS), network(IDS), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("changes", CASES.values(), ids=CASES)
def test_there_and_back_is_every_number(changes):
    network = filled(tiny.config(**changes))
    given = {name: value.clone() for name, value in native.own_weights(network).items()}
    there = in_half_split(network.config, given)
    assert any(not torch.equal(there[name], given[name]) for name in given)
    network.load_state_dict(there, strict=False)
    back = native.own_weights(interleave(network))
    assert all(torch.equal(back[name], given[name]) for name in given)


@pytest.mark.parametrize("changes", [dict(positions="alibi"), dict(latent_dim=12, rope_dim=4)], ids=str)
def test_what_has_one_layout_is_left_alone(changes):
    network = filled(tiny.config(**changes))
    given = {name: value.clone() for name, value in network.state_dict().items()}
    assert half_split(network.config) == network.config
    there = in_half_split(network.config, given)
    kept = interleave(network).state_dict()
    assert all(torch.equal(there[name], given[name]) and torch.equal(kept[name], given[name]) for name in given)
