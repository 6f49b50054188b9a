"""Scaled rounding against NumPy and the kernel, and products against plain ones."""

import numpy as np
import pytest
import torch

from tlmviz import kernels
from tlmviz.analysis.numbers import formats, scaling
from tlmviz.analysis.numbers.scaling import BLOCK, CHANNEL, KEYS, PER, SHARED, TENSOR, Scheme
from tlmviz.errors import BadShape, UnknownName


def numbers(rows=23, columns=70, seed=0):
    """Rows of numbers with loud and quiet columns."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, columns, generator=generator) * torch.logspace(-3, 2, columns)


@pytest.mark.parametrize("format", formats.FORMATS, ids=lambda each: each.key)
def test_rounding_is_that_of_the_page_formats(format):
    generator = torch.Generator().manual_seed(1)
    sizes = 10 ** torch.empty(5000).uniform_(-9, 6, generator=generator)
    edges = torch.tensor([0.0, -0.0, format.largest, format.smallest, format.smallest / 2, 1.5 * format.smallest])
    x = torch.cat([sizes * torch.randn(5000, generator=generator), edges.float()])
    inside = x.clamp(-format.largest, format.largest)
    expected = formats.rounded(inside.double().numpy(), format)
    np.testing.assert_array_equal(scaling.rounded(x, format).double().numpy(), expected)


@pytest.mark.parametrize("per", [TENSOR, CHANNEL, BLOCK])
@pytest.mark.parametrize(
    "own, kernel", [("e4m3", "fp8_e4m3"), ("e5m2", "fp8_e5m2"), ("int8", "int8"), ("int4", "int4")]
)
def test_scaled_is_the_kernel(own, kernel, per):
    x = numbers()
    found = scaling.scaled(x, Scheme(own, per, 32))
    expected = kernels.quantize(x, kernel, per, 32)
    torch.testing.assert_close(found.restored, expected.dequantize(), rtol=0, atol=0)
    assert found.step.numel() == expected.scale.numel()


@pytest.mark.parametrize("format, exponent", [("e4m3", 8), ("e5m2", 15), ("e2m1", 2), ("int8", 6), ("int4", 2)])
def test_shared_scales_are_powers_of_two_as_specified(format, exponent):
    x = numbers(5, 64)
    found = scaling.scaled(x, Scheme(format, SHARED, 32))
    largest = x.abs().unflatten(-1, (2, 32)).amax(-1)
    torch.testing.assert_close(found.step, 2.0 ** (largest.log2().floor() - exponent), rtol=0, atol=0)


@pytest.mark.parametrize("per", PER)
@pytest.mark.parametrize("format", KEYS)
def test_a_product_is_that_of_the_restored_numbers(format, per):
    x, w = numbers(9, 70), numbers(11, 70, 2)
    made = scaling.rounded_product(x, w, Scheme(format, per, 32))
    expected = made.x.restored.double() @ made.w.restored.double().T
    torch.testing.assert_close(made.kept.double(), expected, rtol=1e-5, atol=1e-5 * float(expected.abs().max()))


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 7), (17, 192, 33), (2, 480, 192), (2, 1040, 8), (2, 1041, 8)])
def test_integer_products_are_exact(shape):
    rows, inner, outputs = shape
    x, w = (scaling.scaled(numbers(n, inner, n), Scheme("int8", CHANNEL)) for n in (rows, outputs))
    expected = x.codes.to(torch.int64) @ w.codes.to(torch.int64).T
    assert torch.equal(scaling.unscaled(x, w).to(torch.int64), expected)
    largest = scaling.scaled(torch.ones(outputs, inner), Scheme("int8", CHANNEL))  # sums as large as they can be
    assert (scaling.unscaled(largest, largest) == 127 * 127 * inner).all()


@pytest.mark.parametrize("format", ["int8", "int4"])
def test_smaller_groups_lose_less(format):
    x = numbers()
    losses = [
        float(scaling.sqnr(x, scaling.scaled(x, Scheme(format, per)).restored)) for per in (TENSOR, CHANNEL, BLOCK)
    ]
    assert losses == sorted(losses) and losses[2] - losses[0] > 3


def test_one_side_alone():
    x, w = numbers(4), numbers(6, 70, 3)
    weights = scaling.rounded_product(x, w, Scheme("int4"), "weights")
    assert torch.equal(weights.x.restored, x) and not torch.equal(weights.w.restored, w)
    activations = scaling.rounded_product(x, w, Scheme("int4"), "activations")
    assert torch.equal(activations.w.restored, w) and not torch.equal(activations.x.restored, x)


def test_decibels():
    x = torch.tensor([[1.0, 1.0], [0.0, 0.0]])
    kept = torch.tensor([[0.9, 1.1], [0.0, 0.0]])
    assert float(scaling.sqnr(x, kept)) == pytest.approx(20, abs=1e-4)
    rows = scaling.sqnr(x, kept, -1)
    assert float(rows[0]) == pytest.approx(20, abs=1e-4) and bool(rows[1].isnan())
    assert float(scaling.sqnr(x, x)) == float("inf")


def test_zeros_and_bits():
    zeros = torch.zeros(3, 8)
    for per in PER:
        assert torch.equal(scaling.scaled(zeros, Scheme("e4m3", per)).restored, zeros)
    assert Scheme("int8", TENSOR).bits((4, 8)) == 8 + 1
    assert Scheme("int8", CHANNEL).bits((4, 8)) == 8 + 4
    assert Scheme("int4", SHARED, 32).bits((4, 64)) == 4.25 and Scheme("int4", BLOCK, 32).bits((4, 64)) == 5


def test_schemes_that_make_no_sense_are_refused():
    for wrong in (lambda: Scheme("int9"), lambda: Scheme(per="row")):
        with pytest.raises(UnknownName):
            wrong()
    with pytest.raises(BadShape):
        Scheme(block=0)


def test_a_wide_format_needs_no_scale():
    x = numbers()
    found = scaling.scaled(x, Scheme("bf16", CHANNEL))
    assert bool((found.scale == 1).all())
    assert torch.equal(found.restored, x.bfloat16().float())
