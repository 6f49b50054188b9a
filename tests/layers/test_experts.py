"""Experts against the formula written token by token in float64."""

import math

import pytest
import torch

from tests import tiny
from tlmviz.config import ExpertsConfig
from tlmviz.errors import BadConfig
from tlmviz.layers import Experts
from tlmviz.recording import recording

CASES = {
    "softmax": {},
    "sigmoid and bias": dict(score="sigmoid", bias=True),
    "weights as they are": dict(normalised=False, scaling=2.5),
    "all chosen": dict(chosen=6),
    "shared": dict(shared=2, shared_hidden=5),
    "shared with a gate": dict(shared=1, shared_gate=True),
    "groups": dict(score="sigmoid", bias=True, groups=3, chosen_groups=2, scaling=1.5),
    "one group by its best": dict(groups=2, chosen_groups=1, group_best=1, normalised=False),
}


@pytest.fixture(scope="module", params=CASES)
def layer(request):
    part = ExpertsConfig(**{"count": 6, "chosen": 2, "hidden": 7, **CASES[request.param]})
    return tiny.randomise(Experts(8, part, 0.0), 3, 0.6, centre=0.0)


def swiglu(x, gate_up, down):
    gate, up = (gate_up @ x).chunk(2)
    return down @ (gate * torch.sigmoid(gate) * up)


def routed(layer, x):
    """Chosen experts and weights of one token, {expert: weight}."""
    part = layer.part
    logits = layer.router.weight.double() @ x
    scores = torch.sigmoid(logits) if part.score == "sigmoid" else logits.exp() / logits.exp().sum()
    choice = scores + (layer.choice_bias.double() if part.bias else 0)
    size = part.count // part.groups
    if part.groups > 1:
        best = [sum(sorted(choice[g * size : (g + 1) * size].tolist())[-part.group_best :]) for g in range(part.groups)]
        open_groups = sorted(range(part.groups), key=lambda g: -best[g])[: part.chosen_groups]
    else:
        open_groups = [0]
    may = [e for e in range(part.count) if e // size in open_groups]
    chosen = sorted(may, key=lambda e: -choice[e])[: part.chosen]
    total = sum(scores[e] for e in chosen) if part.normalised else 1
    return {e: part.scaling * scores[e] / total for e in chosen}


@torch.inference_mode()
def test_the_layer_is_the_formula(layer):
    x = torch.randn(2, 9, 8, generator=torch.Generator().manual_seed(0))
    with recording() as record:
        out = layer(x)
    w = {name: value.double() for name, value in layer.state_dict().items()}
    for row in range(2):
        for t in range(9):
            token = x[row, t].double()
            weights = routed(layer, token)
            expected = sum(weight * swiglu(token, w["gate_up"][e], w["down"][e]) for e, weight in weights.items())
            if layer.shared is not None:
                always = swiglu(token, w["shared.gate_up.weight"], w["shared.down.weight"])
                gate = 1.0
                if layer.shared_gate is not None:
                    gate = 1 / (1 + math.exp(-float(w["shared_gate.weight"][0] @ token)))
                expected = expected + gate * always
            torch.testing.assert_close(out[row, t].double(), expected, atol=1e-5, rtol=0)
            # names are those of the attributes: a layer outside a network has none
    assert record.values.keys() <= {""}


def test_every_chosen_expert_gets_its_gradient():
    torch.manual_seed(0)
    layer = Experts(8, ExpertsConfig(count=4, chosen=2, hidden=6, bias=True, score="sigmoid"), 0.0)
    layer(torch.randn(1, 40, 8)).square().sum().backward()
    for name, parameter in layer.named_parameters():
        if name == "choice_bias":
            assert parameter.grad is None
        else:
            assert (parameter.grad.flatten(1).abs().amax(1) > 0).all(), name


@pytest.mark.parametrize(
    "change, word",
    [
        (dict(chosen=7), "experts.chosen"),
        (dict(groups=4), "experts.groups"),
        (dict(groups=3, chosen_groups=4), "chosen_groups"),
        (dict(groups=3, chosen_groups=1, chosen=3), "experts.chosen"),
        (dict(score="tanh"), "sigmoid"),
        (dict(shared=-1), "experts.shared"),
        (dict(scaling=0.0), "experts.scaling"),
        (dict(dense_layers="0"), "dense_layers"),
        (dict(dense_layers=(9,)), "layer 9"),
    ],
)
def test_impossible_experts_are_refused(change, word):
    with pytest.raises(BadConfig) as error:
        tiny.config(experts={"count": 6, **change})
    assert word in tiny.sentence(error)


def test_a_layer_may_stay_dense():
    network = tiny.network(**tiny.VARIANTS["sparse"])
    assert not isinstance(network.blocks[0].mlp, Experts) and isinstance(network.blocks[1].mlp, Experts)
    assert type(network.config).from_json(network.config.to_json()) == network.config
