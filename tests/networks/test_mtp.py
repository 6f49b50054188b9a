"""Modules that look ahead: against plain code, nothing beyond what they may read, and the model as it is without
them."""

import pytest
import torch

from tests import tiny
from tlmviz.config import ModelConfig, MTPConfig, ParallelMTPConfig
from tlmviz.errors import BadConfig
from tlmviz.networks.mtp import MTPNetwork, ParallelMTPNetwork
from tlmviz.networks.transformer import TransformerLM

IDS = torch.arange(3, 15)[None]


@pytest.fixture(scope="module")
def network():
    return tiny.next_token_model().network


def test_the_chain_against_plain_code(network):
    """DeepSeek-V3, section 2.2, one module after another on whole sequences."""
    hidden, heads = network.read(IDS), []
    for depth, module in enumerate(network.ahead, start=1):
        tokens = network.token_emb(IDS[:, depth:])
        hidden = hidden[:, : tokens.shape[1]]
        rms = [
            x / (x.square().mean(-1, keepdim=True) + norm.eps if norm.eps else x).sqrt() * norm.weight
            for x, norm in ((hidden, module.norm_hidden), (tokens, module.norm_token))
        ]
        joined = torch.cat(rms, -1) @ module.join.weight.T
        positions = network.positions.at(0)
        hidden = module.norm(module.block(joined, positions, positions.cos_sin(torch.arange(tokens.shape[1]))))
        heads.append(hidden @ network.token_emb.weight.T)
    made = network.look_ahead(network.read(IDS), IDS)
    assert [state.shape[1] for state in made] == [11, 10, 9]
    for state, logits in zip(made, heads):
        torch.testing.assert_close(network.unembed(state), logits, atol=1e-4, rtol=1e-4)


def test_a_module_reads_no_token_beyond_its_own(network):
    changed = IDS.clone()
    changed[0, 7:] += 1
    before, after = (network.look_ahead(network.read(ids), ids) for ids in (IDS, changed))
    for depth, (one, other) in enumerate(zip(before, after), start=1):
        assert torch.equal(one[:, : 7 - depth], other[:, : 7 - depth])
        assert not torch.allclose(one[:, 7 - depth], other[:, 7 - depth])


def test_the_model_is_its_twin_without_modules():
    """The same starting weights, the same logits, and no tap of a module among the model's."""
    sizes = dict(vocab_size=20, n_layers=2, d_model=16, n_heads=2, d_ff=24, context=32)
    torch.manual_seed(3)
    mtp = MTPNetwork(MTPConfig.of("a", **sizes)).eval()
    torch.manual_seed(3)
    plain = TransformerLM(ModelConfig.of("a", **sizes)).eval()
    assert torch.equal(mtp(IDS), plain(IDS))
    assert mtp.tap_names() == plain.tap_names()
    assert mtp.tied_weights() == plain.tied_weights()


def test_short_texts_have_fewer_modules(network):
    assert [len(network.look_ahead(network.read(IDS[:, :n]), IDS[:, :n])) for n in (1, 2, 3, 4, 5)] == [0, 1, 2, 3, 3]


def test_heads_side_by_side_are_matrices_on_the_final_state_and_the_model_is_its_twin():
    """O_t^(j) = H_t W_(O_j), summed term by term (003 section 6.4)."""
    sizes = dict(vocab_size=20, n_layers=2, d_model=16, n_heads=2, d_ff=24, context=32)
    torch.manual_seed(3)
    heads = ParallelMTPNetwork(ParallelMTPConfig.of("a", depth=2, **sizes)).eval()
    torch.manual_seed(3)
    plain = TransformerLM(ModelConfig.of("a", **sizes)).eval()
    hidden = heads.read(IDS)
    own, *further = heads.logits_ahead(hidden, IDS)
    assert torch.equal(own, plain(IDS)) and heads.tap_names() == plain.tap_names()
    assert [len(each[0]) for each in further] == [11, 10]
    for head, logits in zip(heads.ahead, further):
        expected = (hidden[0, : len(logits[0]), :, None] * head.weight.T[None]).sum(1)
        torch.testing.assert_close(logits[0], expected, atol=1e-5, rtol=1e-5)
    assert len(heads.logits_ahead(hidden[:, :1], IDS[:, :1])) == 1
    with pytest.raises(BadConfig, match="depth is 0"):
        ParallelMTPConfig.of("a", depth=0)


@pytest.mark.parametrize(
    "changes, why",
    [
        (dict(depth=0), "depth is 0"),
        (dict(positions="learned"), "rope or none"),
        (dict(latent_dim=8, rope_dim=4), "no latents"),
        (dict(window=4), "leave them out"),
        (dict(connection="hyper", streams=2), "leave them out"),
    ],
)
def test_what_modules_do_not_go_with(changes, why):
    with pytest.raises(BadConfig, match=why):
        MTPConfig.of("a", **changes)
