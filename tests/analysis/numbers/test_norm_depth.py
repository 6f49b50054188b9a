"""Gradients through depth, against plain autograd."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import tlmviz
from tests import tiny
from tlmviz.analysis.numbers import norm_depth
from tlmviz.errors import BadText
from tlmviz.networks.transformer import TransformerLM

TEXT = "Tom had a red ball."


@pytest.mark.parametrize("name", ["zoo-rope", "zoo-post"])
def test_gradients_are_autograds(name):
    lm = tlmviz.load(name)
    ids = lm.encode(TEXT)
    found = norm_depth.flow(lm.network, ids)
    network = tlmviz.load(name).network.requires_grad_(True)
    with torch.enable_grad():
        loss = F.cross_entropy(network(torch.tensor([ids]))[0, :-1], torch.tensor(ids[1:]))
        loss.backward()
    assert found.loss == pytest.approx(loss.item(), abs=1e-6)
    assert found.stream.shape == (9,) and found.weights.shape == (8,)
    for place, part in ((0, network.blocks[0].attn), (7, network.blocks[3].mlp)):
        wanted = math.sqrt(sum(p.grad.square().sum().item() for p in part.parameters()))
        assert found.weights[place] == pytest.approx(wanted, rel=1e-4)
    assert all(p.grad is None for p in lm.network.parameters()) and not lm.network.training


def test_nothing_is_dropped_out():
    network = TransformerLM(tiny.config().with_(dropout=0.5)).train()
    first, again = (norm_depth.flow(network, list(range(3, 12))) for _ in range(2))
    assert first.loss == again.loss and network.training


def test_the_stream_of_the_last_sublayer():
    """The gradient by what the final norm is given, taken by hand."""
    lm = tlmviz.load("zoo-rope")
    ids = lm.encode(TEXT)
    x = lm.trace(TEXT, keep=lambda name: True)["blocks.3.resid_post"].clone().detach().requires_grad_()
    with torch.enable_grad():
        logits = lm.network.unembed(lm.network.norm(x))
        loss = F.cross_entropy(logits.reshape(len(ids), -1)[:-1], torch.tensor(ids[1:]))
        loss.backward()
    assert norm_depth.flow(lm.network, ids).stream[-1] == pytest.approx(x.grad.norm().item(), rel=1e-4)


def test_the_slope_is_measured():
    lm = tlmviz.load("zoo-post")
    ids = lm.encode(TEXT)
    _, streams, _ = norm_depth.gradients(lm.network, ids)
    gradient = streams["blocks.1.resid_mid"]
    along = norm_depth.slope(lm.network, ids, "blocks.1.resid_mid", gradient / gradient.norm(), 0.05)
    assert along == pytest.approx(gradient.norm().item(), rel=0.01)


def test_before_training():
    config = tlmviz.load("zoo-post").config
    state = torch.random.get_rng_state()
    one, again = (norm_depth.before_training(config, 6) for _ in range(2))
    assert torch.equal(state, torch.random.get_rng_state()) and len(one.blocks) == 6
    assert torch.equal(one.token_emb.weight, again.token_emb.weight)
    deep = norm_depth.flow(norm_depth.before_training(config, 16), list(range(3, 30)))
    assert np.ptp(np.log(deep.stream[1:])) < 0.1  # as long in every layer


def test_one_token_has_no_gradient():
    with pytest.raises(BadText, match="at least one more"):
        norm_depth.flow(tlmviz.load("zoo-post").network, [3])
