"""The feed-forward part left out, its units and its slopes, against networks changed by hand."""

import copy
import math

import numpy as np
import pytest
import torch
from torch import nn

import tlmviz
from tests import tiny
from tlmviz.analysis.cost import feedforward
from tlmviz.errors import BadText, NoNetwork

TEXT = "Once upon a time there was a little girl named Lily."


@pytest.fixture(scope="module", params=["stories-rope", "stories-gpt"])
def lm(request):
    return tlmviz.load(request.param)


class Nothing(nn.Module):
    def forward(self, x, *rest):
        return torch.zeros_like(x)


def changed(lm, change):
    """The model with its network changed by hand."""
    network = copy.deepcopy(lm.network)
    change(network)
    return type(lm)(network, lm.tokenizer)


def test_the_loss_is_the_models(lm):
    assert feedforward.loss(lm, TEXT) == pytest.approx(lm.bits_per_byte(TEXT), rel=1e-5)


def test_removing_is_a_network_without_the_part(lm):
    found = feedforward.removed(lm, TEXT)
    assert found.layers == tuple(range(lm.config.n_layers)) and found.base == feedforward.loss(lm, TEXT)
    for layer in (0, lm.config.n_layers - 1):
        without = changed(lm, lambda network: setattr(network.blocks[layer], "mlp", Nothing()))  # noqa: B023
        assert found.ffn[layer] == pytest.approx(without.bits_per_byte(TEXT), rel=1e-5)

    def all_gone(network):
        for block in network.blocks:
            block.mlp = Nothing()

    assert found.no_ffn == pytest.approx(changed(lm, all_gone).bits_per_byte(TEXT), rel=1e-5)
    assert found.no_ffn > found.no_attention > found.base
    assert feedforward.removed(lm, TEXT, [1]).attention == pytest.approx(found.attention[[1]])


def test_relu_by_edits_is_relu_in_the_network(lm):
    def swap(network):
        for block in network.blocks:
            block.mlp.activation = nn.ReLU()

    expected = changed(lm, swap).bits_per_byte(TEXT)
    assert feedforward.loss(lm, TEXT, feedforward.as_relu(lm)) == pytest.approx(expected, rel=1e-4)


def test_units_are_what_enters_the_activation(lm):
    every = feedforward.units(lm, TEXT)
    assert [each.layer for each in every] == list(range(lm.config.n_layers))
    trace = lm.trace(TEXT, keep=lambda name: name.endswith("mlp.pre"))
    kind = feedforward.kind_of(lm.network.blocks[0].mlp.activation)
    for each in every:
        x = trace[f"blocks.{each.layer}.mlp.pre"][0].numpy()
        assert np.array_equal(each.before, x)
        assert (each.dead == (x.max(0) <= 0)).all()
        share = (x > 0).mean(0)
        assert (each.rare == ((share > 0) & (share <= 0.05))).all()
        assert each.passed_by_relu == pytest.approx((x > 0).mean())
        assert np.abs(each.slope - feedforward.slope(kind, x)).max() < 1e-5
        assert each.passed == pytest.approx(np.abs(each.slope).mean())
        assert not (each.silent & ~each.dead & (x.max(0) > 1)).any()


@pytest.mark.parametrize(
    "kind, activation",
    [("relu", nn.ReLU()), ("gelu", nn.GELU()), ("gelu-tanh", nn.GELU(approximate="tanh")), ("silu", nn.SiLU())],
)
def test_slopes_are_autograds(kind, activation):
    x = torch.linspace(-6, 6, 1000, dtype=torch.float64)  # not at 0, where ReLU has none
    y, slope = feedforward.through(activation, x)
    assert feedforward.kind_of(activation) == kind
    assert np.abs(slope.numpy() - feedforward.slope(kind, x.numpy())).max() < 1e-12
    assert torch.equal(y, activation(x))


def test_gelus_slope_is_as_the_page_says():
    x = np.linspace(-4, 4, 80_001)
    slope = feedforward.slope("gelu", x)
    assert feedforward.slope("gelu", np.zeros(1))[0] == 0.5
    assert slope.max() == pytest.approx(1.13, abs=0.005) and x[slope.argmax()] == pytest.approx(math.sqrt(2), abs=1e-3)
    assert slope.min() == pytest.approx(-0.13, abs=0.005) and x[slope.argmin()] == pytest.approx(
        -math.sqrt(2), abs=1e-3
    )
    assert x[(slope < 0)].max() == pytest.approx(-0.75, abs=0.005)


def test_a_model_with_relu_has_the_units_that_it_kills(tokenizer):
    lm = tlmviz.load("stories-gpt")

    def swap(network):
        for block in network.blocks:
            block.mlp.activation = nn.ReLU()

    relu = changed(lm, swap)
    every = feedforward.units(relu, TEXT)
    assert all((each.silent >= each.dead).all() for each in every)
    assert sum(int(each.dead.sum()) for each in every) > 100
    assert feedforward.loss(relu, TEXT, feedforward.as_relu(relu)) == pytest.approx(feedforward.loss(relu, TEXT))


def test_experts_have_shared_units_or_none(tokenizer):
    shared = tlmviz.load("stories-moe")
    assert all(place.endswith("mlp.shared.pre") for place in feedforward.places_of(shared).values())
    assert len(feedforward.units(shared, TEXT)) == shared.config.n_layers
    bare = tiny.language_model(tokenizer, experts=dict(count=4, chosen=2, hidden=16))
    with pytest.raises(NoNetwork, match="experts read some tokens each"):
        feedforward.places_of(bare)
    assert feedforward.removed(bare, tiny.TEXT).no_ffn > 0


@pytest.mark.parametrize("text", ["", "\x00"])
def test_texts_with_nothing_to_predict(lm, text):
    if text == "":
        with pytest.raises(BadText):
            feedforward.loss(lm, text)
    else:
        assert feedforward.loss(lm, text) > 0
