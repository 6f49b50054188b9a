"""Every format against torch's own casts, or, where torch has none, against all of its numbers written out."""

import numpy as np
import pytest
import torch

from tlmviz.analysis.numbers import formats
from tlmviz.errors import BadShape, BadText, UnknownName

TORCH = {
    "fp32": (torch.float32, torch.int32),
    "bf16": (torch.bfloat16, torch.int16),
    "fp16": (torch.float16, torch.int16),
    "e5m2": (torch.float8_e5m2, torch.uint8),
    "e4m3": (torch.float8_e4m3fn, torch.uint8),
}
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]  # OCP Microscaling specification, table 5


def samples():
    """Float32 numbers of all sizes, halfway points among them."""
    draw = np.random.default_rng(0)
    sizes = draw.standard_normal(40000) * 2.0 ** draw.integers(-149, 128, 40000)
    ties = np.ldexp(draw.integers(1, 4096, 20000).astype(float), draw.integers(-40, 16, 20000))
    edges = [0.0, -0.0, 448, 464, 464.001, 480, 57344, 61439, 61440, 65504, 65519.9, 65520, 1e-45, 2**-10, np.inf]
    with np.errstate(over="ignore"):
        return np.concatenate([sizes, ties, -ties, edges, [np.nan]]).astype(np.float32)


@pytest.mark.parametrize("key", TORCH)
def test_rounding_is_torch_s_cast(key):
    x = samples()
    cast = torch.from_numpy(x).to(TORCH[key][0]).double().numpy()
    found = formats.rounded(x.astype(np.float64), formats.find(key))
    if key == "e4m3":  # beyond 464 the standard allows NaN and 448; torch's versions differ
        beyond = np.abs(x) > 464
        assert np.isnan(found[beyond]).all() and (np.isnan(cast) | (np.abs(cast) == 448))[beyond].all()
        found, cast = found[~beyond], cast[~beyond]
    np.testing.assert_array_equal(found, cast)
    # Zeros keep their sign.
    np.testing.assert_array_equal(np.signbit(found[cast == 0]), np.signbit(cast[cast == 0]))


@pytest.mark.parametrize("key", TORCH)
def test_patterns_are_worth_what_torch_says(key):
    format, (dtype, stored) = formats.find(key), TORCH[key]
    if format.bits == 32:
        codes = np.random.default_rng(1).integers(0, 2**32, 50000)
    else:
        codes = np.arange(2**format.bits)
    kept = {8: np.uint8, 16: np.uint16, 32: np.uint32}[format.bits]
    signed = {8: np.uint8, 16: np.int16, 32: np.int32}[format.bits]
    values = torch.from_numpy(codes.astype(kept).view(signed)).view(stored).view(dtype).double().numpy()
    np.testing.assert_array_equal(formats.decoded(codes, format), values)


@pytest.mark.parametrize("key", TORCH)
def test_edges_are_torch_s(key):
    format, told = formats.find(key), torch.finfo(TORCH[key][0])
    assert format.largest == told.max and format.smallest_normal == told.tiny
    assert format.step_at_one == told.eps and format.bits == told.bits


def test_tf32_is_fp32_with_a_mantissa_of_ten_bits():
    format, x = formats.find("tf32"), samples().astype(np.float64)
    assert (format.bits, format.largest) == (19, (2 - 2.0**-10) * 2.0**127)
    found = formats.rounded(x, format)
    kept = found[np.isfinite(found)].astype(np.float32)
    assert not (kept.view(np.uint32) & (2**13 - 1)).any()
    # Within FP16's normal range both keep eleven significant bits.
    inner = x[(np.abs(x) > 2.0**-14) & (np.abs(x) < 2.0**15)]
    np.testing.assert_array_equal(formats.rounded(inner, format), inner.astype(np.float16).astype(np.float64))


def test_e2m1_has_sixteen_numbers_and_saturates():
    format = formats.find("e2m1")
    np.testing.assert_array_equal(formats.decoded(np.arange(16), format), E2M1 + [-each for each in E2M1])
    x = np.array([0.25, 0.2501, 0.75, 1.25, 1.75, 2.5, 3.5, 5, 5.01, 7, np.inf, -9])
    np.testing.assert_array_equal(formats.rounded(x, format), [0, 0.5, 1, 1, 2, 2, 4, 4, 6, 6, 6, -6])


@pytest.mark.parametrize("key, bits", [("int8", 8), ("int4", 4)])
def test_integers_are_twos_complement_and_rounded_symmetrically(key, bits):
    format = formats.find(key)
    every = [*range(2 ** (bits - 1)), *range(-(2 ** (bits - 1)), 0)]
    np.testing.assert_array_equal(formats.decoded(np.arange(2**bits), format), every)
    top = 2 ** (bits - 1) - 1
    x = np.array([0.5, 1.5, -0.4, 2.5, 1e9, -1e9, np.inf])
    found = formats.rounded(x, format)
    np.testing.assert_array_equal(found, [0, 2, 0, 2, top, -top, top])
    assert not np.signbit(found[2]) and (format.largest, format.smallest) == (top, 1)


def test_every_number_of_a_format_rounds_to_itself():
    for format in formats.FORMATS:
        codes = np.arange(2**format.bits) if format.bits < 20 else np.arange(0, 2**32, 65521)
        values = formats.decoded(codes, format)
        values = values[np.isfinite(values) & (np.abs(values) <= format.largest)]
        np.testing.assert_array_equal(formats.rounded(values, format), values)


def test_the_table_of_the_notes_corrected():
    e4m3, e5m2 = formats.find("e4m3"), formats.find("e5m2")
    assert (e4m3.smallest_normal, e4m3.smallest, e4m3.largest) == (2**-6, 2**-9, 448)
    assert (e5m2.smallest_normal, e5m2.smallest, e5m2.largest) == (2**-14, 2**-16, 57344)
    assert np.isnan(formats.decoded(0x7F, e4m3)) and formats.decoded(0x7E, e4m3) == 448


def test_what_does_not_exist_is_said():
    with pytest.raises(UnknownName, match="no format 'fp12'"):
        formats.find("fp12")
    with pytest.raises(BadShape, match="4 bits"):
        formats.decoded(16, formats.find("int4"))


@pytest.mark.parametrize(
    "text, value", [("0x7e", 448), ("0b1", 2**-9), (" −1_0 ", -10), ("1e400", np.inf), ("-∞", -np.inf)]
)
def test_what_is_typed_is_read(text, value):
    assert formats.read(text, formats.find("e4m3")) == value


@pytest.mark.parametrize("text", ["", "0x", "0x1ff", "1,5", "1e", "0b12", "٣"])
def test_what_is_no_number_is_refused_in_a_sentence(text):
    with pytest.raises(BadText, match="no number|too long"):
        formats.read(text, formats.find("e4m3"))
