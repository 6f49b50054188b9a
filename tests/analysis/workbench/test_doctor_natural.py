"""The doctor on faults hidden in what a module computes, of which its declaration says nothing."""

import pytest
import torch

import tlmviz
from tests.tiny import TEXT, sentence
from tlmviz import diagnose
from tlmviz.analysis.workbench.faults_natural import HEALTHY, NATURAL, injected
from tlmviz.errors import BadShape, UnknownName

MODELS = ("stories-rope", "stories-gpt", "zoo-gqa")
IN_ATTENTION = list(NATURAL)[: list(NATURAL).index("dropout on attention's output")]


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    lm = tlmviz.load(request.param)
    return lm, lm.trace(lm.default_text)


def cases(lm, fault):
    """One layer, and all."""
    everywhere = [list(range(lm.config.n_layers))] if fault.everywhere else []
    return [[1], *everywhere]


def runs(model, inject, layers, text=None):
    lm, trace = model
    return trace, injected(lm, inject, layers).trace(text or lm.default_text)


@pytest.mark.parametrize("name", IN_ATTENTION)
def test_a_fault_in_every_layer_is_no_sink(model, name):
    """What all layers do alike is no measure of rounding."""
    fault = NATURAL[name]
    if not fault.fits(model[0].network):
        return
    for layers in cases(model[0], fault):
        said = diagnose(*runs(model, fault.inject, layers))
        assert said.cause != "sink" and not said.healthy and said.layer == layers[0], said


@pytest.mark.parametrize("name", list(HEALTHY))
def test_other_arithmetic_is_no_fault(model, name):
    for layers in ([1], list(range(model[0].config.n_layers))):
        said = diagnose(*runs(model, HEALTHY[name], layers))
        assert said.healthy, said


def test_a_fault_in_16_bit_attention_is_none_of_rounding(model):
    """Only what 16 bits round is excused."""

    def both(network, layers):
        HEALTHY["attention in bfloat16"](network, layers)
        for layer in layers:
            attn, honest = network.blocks[layer].attn, network.blocks[layer].attn.attend
            attn.attend = lambda q, *others, honest=honest: honest(1.5 * q, *others)

    said = diagnose(*runs(model, both, [1]))
    assert not said.healthy and said.layer == 1, said


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_weights_in_16_bits_are_named(lm, dtype):
    """All of them, factors of norms and vectors of tokens as well, with the arithmetic left as it was."""

    def rounded(network, layers):
        for parameter in network.parameters():
            parameter.data = parameter.data.to(dtype).float()

    said = diagnose(*runs((lm, lm.trace(TEXT)), rounded, [], TEXT))
    assert said.cause == "precision" and f"rounded to {str(dtype)[6:]}" in said.evidence[0], said


def test_a_norm_that_differs_more_than_rounded_weights_is_a_fault(model):
    def rounded(network, layers):
        for parameter in network.parameters():
            parameter.data = parameter.data.bfloat16().float()
        network.blocks[1].norm1.weight.data[:5] *= 1.5

    said = diagnose(*runs(model, rounded, []))
    assert not said.healthy, said


def test_a_run_that_lacks_taps_is_one_sentence(model):
    """A part that replaces another, and calls none of its taps."""

    def replaced(network, layers):
        network.blocks[1].attn.forward = lambda x, *others: x

    with pytest.raises(BadShape) as error:
        diagnose(*runs(model, replaced, []))
    assert "left no tensor named 'blocks.1.attn.concat' and 7 more" in sentence(error)
    with pytest.raises(UnknownName, match="that part did not run"):
        runs(model, replaced, [])[1]["blocks.1.attn.out"]
