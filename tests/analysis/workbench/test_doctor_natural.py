"""The doctor on faults hidden in what a module computes, of which its declaration says nothing."""

import numpy as np
import pytest
import torch

import tlmviz
from benchmarks.natural_faults import HEALTHY, NAMELESS, NATURAL, injected
from tests.tiny import TEXT, sentence
from tlmviz import diagnose, kernels
from tlmviz.analysis.workbench.doctor.diagnosis import examine
from tlmviz.analysis.workbench.doctor.proof import BOTH, MORE, proof
from tlmviz.errors import BadShape, UnknownName

MODELS = ("stories-rope", "stories-gpt", "zoo-gqa")
ELSEWHERE = ("last norm missing", "layer skipped", "layer not run")  # seen behind the layer that has them
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


def assert_named(model, name, layers):
    fault = NATURAL[name]
    said = diagnose(*runs(model, fault.inject, layers))
    assert said.cause == fault.cause and not said.healthy, said
    assert said.layer == layers[0] or name in ELSEWHERE, said
    value = fault.value(model[0].network, layers)
    if isinstance(value, float):
        assert said.value == pytest.approx(value, rel=0.1), said
    elif value is not None:
        assert said.value == value


@pytest.mark.parametrize("name", list(NATURAL))
def test_what_a_module_hides_is_named(model, name):
    """In one layer, and in all of them, where what all layers do alike is no measure of rounding."""
    torch.manual_seed(0)  # of dropout
    fault = NATURAL[name]
    for layers in cases(model[0], fault) if fault.fits(model[0].network) else []:
        assert_named(model, name, layers)


@pytest.mark.parametrize("name", ["layer skipped", "layer not run"])
def test_the_first_and_the_last_layer(model, name):
    for layer in (0, model[0].config.n_layers - 1):
        assert_named(model, name, [layer])


def test_one_layer_with_anothers_weights_is_no_exchange(model):
    def inject(network, layers):
        network.blocks[1].load_state_dict(network.blocks[2].state_dict())

    said = diagnose(*runs(model, inject, []))
    assert (said.cause, said.value, said.layer) == ("weights", "layer 2", 1), said


@pytest.mark.parametrize("name", list(NAMELESS))
def test_a_fault_without_a_name_gets_none(model, name):
    torch.manual_seed(0)
    layers = list(range(model[0].config.n_layers))
    said = diagnose(*runs(model, NAMELESS[name], layers))
    assert said.cause == "cannot tell" and said.layer == 0, said


def test_without_a_gate_there_is_no_second_half(model):
    """Half of the hidden units left out: beside a gate W_up's rows of 0 do the same."""

    def inject(network, layers):
        network.blocks[1].mlp.activation.register_forward_hook(
            lambda module, given, made: torch.cat((made.chunk(2, -1)[0], 0 * made.chunk(2, -1)[1]), -1)
        )

    said = diagnose(*runs(model, inject, []))
    gated = hasattr(model[0].network.blocks[1].mlp, "gate_up")
    assert (said.cause, said.layer) == ("weights" if gated else "cannot tell", 1), said


def test_noise_in_weights_is_neither_an_order_nor_dropout(model):
    def inject(network, layers):
        for block in network.blocks:
            block.attn.proj.weight.data += 0.1 * block.attn.proj.weight.std() * torch.randn_like(block.attn.proj.weight)

    said = diagnose(*runs(model, inject, []))
    assert (said.cause, said.value) == ("weights", "W_O"), said


@pytest.mark.parametrize(
    ("part", "cause"), [("k", "stale keys"), ("v", "stale values"), ("kv", "stale keys and values")]
)
def test_stale_projections(model, part, cause):
    """The same in front of attention, where all that is stored differs at one position."""

    def inject(network, layers):
        for block in network.blocks:
            attn = block.attn
            width = attn.groups * attn.head_dim
            start = attn.heads * attn.head_dim + width * (part == "v")
            written = slice(start, start + width * len(part))

            def stale(module, given, made, columns=written):
                made[:, 9, columns] = made[:, 4, columns]

            attn.qkv.register_forward_hook(stale)

    said = diagnose(*runs(model, inject, []))
    assert (said.cause, said.value, said.layer) == (cause, 9.0, 0), said


@pytest.mark.parametrize("name", IN_ATTENTION[:8])
def test_nothing_is_read_off_the_declaration(model, name):
    """The right name although the second trace declares another fault."""
    fault = NATURAL[name]
    if not fault.fits(model[0].network):
        return

    def both(network, layers):
        network.blocks[1].attn.softcap = 3.0
        fault.inject(network, layers)

    said = diagnose(*runs(model, both, [1]))
    assert said.cause == fault.cause and said.layer == 1, said


def test_cells_are_those_that_were_inferred(model):
    said, evidence = examine(*runs(model, NATURAL["causal mask one too loose"].inject, [1]))
    seen = proof(evidence, said)
    t, s = np.indices(seen.x.shape)
    assert seen.kind == "cells"
    np.testing.assert_array_equal(seen.x == MORE, s == t + 1)
    np.testing.assert_array_equal(seen.x == BOTH, s <= t)


def test_a_sink_leaves_outputs_in_their_proportion(model):
    """Sums that grow as a sink's would, under outputs that a sink does not make, are none."""

    def inject(network, layers):
        attn = network.blocks[1].attn

        def attend(q, k, v, positions, cache):
            spec = attn.spec(positions)
            z, lse = kernels.attention(q, k, v, spec.mask, scale=spec.scale)
            attn.lse(torch.logaddexp(lse, torch.tensor(1.0)))
            return z

        attn.attend = attend

    said = diagnose(*runs(model, inject, []))
    assert said.cause == "cannot tell" and said.layer == 1, said


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
