"""Number formats: torch and interpreted Triton against every representable number, listed in NumPy."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlmviz import kernels
from tlmviz.errors import BadShape, UnknownName
from tlmviz.kernels import Quantized, quantization_triton

from .compare import BACKENDS, forbid_other, nan_buffers

FORMATS, GROUPS = kernels.FORMATS, kernels.GROUPS
LIMITS = {"fp8_e4m3": 448.0, "fp8_e5m2": 57344.0, "int8": 127.0, "int4": 7.0}
DTYPES = {"fp8_e4m3": torch.float8_e4m3fn, "fp8_e5m2": torch.float8_e5m2, "int8": torch.int8, "int4": torch.uint8}
backends = pytest.mark.parametrize("backend", BACKENDS)
formats = pytest.mark.parametrize("format", FORMATS)
groups = pytest.mark.parametrize("per", GROUPS)


@pytest.fixture(autouse=True, scope="module")
def poisoned():
    with nan_buffers():
        yield


def table(format):
    """(number, code) for every finite code of an FP8 format, from its definition, smallest number first."""
    exponents, mantissas, bias = {"fp8_e4m3": (16, 8, 7), "fp8_e5m2": (32, 4, 15)}[format]
    numbers = []
    for code in range(128):
        e, m = divmod(code, mantissas)
        number = 2.0 ** (1 - bias) * m / mantissas if e == 0 else 2.0 ** (e - bias) * (1 + m / mantissas)
        # E4M3 gives up one code for NaN and has no infinity; E5M2 keeps its last exponent for both, as IEEE does.
        if code < 127 if format == "fp8_e4m3" else e < exponents - 1:
            numbers += [(number, code), (-number, code + 128)]
    return sorted(numbers, key=lambda pair: (pair[0], -pair[1]))


def nearest(y, format):
    """Codes of the nearest numbers, ties to the even one, by comparing with all of them."""
    numbers, codes = (np.array(part) for part in zip(*table(format)))
    distance = np.abs(y.astype(np.float64)[:, None] - numbers)
    tied = distance == distance.min(1, keepdims=True)
    chosen = codes[np.where(tied, np.where(codes % 2 == 0, 2, 1), 0).argmax(1)]
    return np.where(chosen % 128 == 0, np.signbit(y) * 128, chosen)  # zero keeps the sign


def unpack(values, format, columns):
    """Stored values as plain numbers."""
    if format == "int4":
        halves = np.stack([values.numpy() & 15, values.numpy() >> 4], -1).reshape(*values.shape[:-1], -1)[..., :columns]
        return np.where(halves > 7, halves.astype(int) - 16, halves).astype(np.float64)
    if format == "int8":
        return values.numpy().astype(np.float64)
    number_of = {code: number for number, code in table(format)}
    return np.vectorize(number_of.__getitem__, otypes=[float])(values.view(torch.uint8).numpy())


def exact(x, format, per, block):
    """Values and scales by the definition, group by group, in NumPy."""
    x = x.float().numpy()
    values, limit = np.zeros_like(x, dtype=np.float64), np.float32(LIMITS[format])
    if per == "tensor":
        spans = [((), slice(None))]
    else:
        width = block if per == "block" else max(1, x.shape[-1])
        starts = range(0, x.shape[-1], width)
        spans = [(row, slice(start, start + width)) for row in np.ndindex(x.shape[:-1]) for start in starts]
    scales = []
    for row, span in spans:
        group = x[row][..., span] if row else x[..., span]
        scales.append(max(np.float32(np.abs(group).max() / limit), np.float32(2.0**-126)))
        ratio = np.clip(group / scales[-1], -limit, limit)
        if format.startswith("fp8"):
            number_of = {code: number for number, code in table(format)}
            rounded = np.array([number_of[code] for code in nearest(ratio.ravel(), format)]).reshape(ratio.shape)
        else:
            rounded = np.rint(ratio)
        values[(*row, span) if row else (..., span)] = rounded
    return values, np.array(scales, dtype=np.float32)


def normal(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("format", FORMATS[:2])
@backends
def test_every_fp8_number_and_every_tie(format, backend):
    numbers = np.array([number for number, _ in table(format)])
    middles = (numbers[1:] + numbers[:-1]) / 2
    beside = [np.nextafter(middles.astype(np.float32), np.float32(end)) for end in (-np.inf, np.inf)]
    # The largest number is among them, so that the scale is 1 and every one is rounded as it is.
    y = np.concatenate([numbers, middles, *beside]).astype(np.float32)
    quantized = kernels.quantize(torch.from_numpy(y), format, backend=backend)
    assert quantized.scale == 1 and quantized.values.dtype == DTYPES[format]
    np.testing.assert_array_equal(quantized.values.view(torch.uint8).numpy(), nearest(y, format))
    codes = torch.tensor([code for _, code in table(format)], dtype=torch.uint8)
    listed = Quantized(codes.view(DTYPES[format]), torch.tensor(1.0), format, "tensor", 128, codes.shape, torch.float32)
    np.testing.assert_array_equal(listed.dequantize(backend).numpy(), numbers)


@backends
@pytest.mark.parametrize("format", ["int8", "int4"])
def test_every_integer_and_every_tie(format, backend):
    limit = LIMITS[format]
    y = torch.arange(-2 * limit, 2 * limit + 1) / 2
    quantized = kernels.quantize(y, format, backend=backend)
    assert quantized.scale == 1 and quantized.values.dtype == DTYPES[format]
    np.testing.assert_array_equal(unpack(quantized.values, format, len(y)), np.rint(y.numpy()))
    np.testing.assert_array_equal(quantized.dequantize(backend).numpy(), np.rint(y.numpy()))


@formats
@groups
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (2, 2, 8), (3, 17), (5,), (2, 3, 9)], ids=str)
def test_values_scales_and_back(shape, per, format):
    """Blocks of 8 in rows below, at and above a multiple; the kernel walks rows in pieces of 4 columns as well."""
    x = normal(*shape)
    values, scales = exact(x, format, per, 8)
    runs = {
        "torch": kernels.quantize(x, format, per, block=8),
        "triton": kernels.quantize(x, format, per, 8, backend="triton"),
    }
    narrow = quantization_triton.quantize(x, format, per, 8, widest=4)
    for name, quantized in runs.items():
        np.testing.assert_array_equal(quantized.scale.numpy().ravel(), scales)
        np.testing.assert_array_equal(unpack(quantized.values, format, shape[-1]), values)
        back = kernels.dequantize(quantized, name)
        width = 8 if per == "block" else max(shape[-1], 1)
        spread = scales if per == "tensor" else np.repeat(scales.reshape(*shape[:-1], -1), width, -1)[..., : shape[-1]]
        np.testing.assert_allclose(back.numpy(), values.astype(np.float32) * spread, rtol=1e-7)
        assert back.dtype == torch.float32
    assert torch.equal(narrow[0].view(torch.uint8), runs["torch"].values.view(torch.uint8))
    assert torch.equal(narrow[1], runs["torch"].scale)
    assert torch.equal(quantization_triton.dequantize(runs["torch"], widest=4), runs["torch"].dequantize())
    assert (
        runs["torch"].scale.shape
        == {"tensor": (), "channel": (*shape[:-1], 1), "block": (*shape[:-1], -(-shape[-1] // 8))}[per]
    )


@backends
@formats
@groups
@settings(max_examples=10)
@given(
    magnitude=st.sampled_from([1e-44, 1e-38, 1e-20, 1.0, 1e4, 3e38]),
    seed=st.integers(0, 99),
    columns=st.integers(1, 20),
)
def test_the_error_is_half_a_step_at_most(backend, per, format, magnitude, seed, columns):
    x = (normal(3, columns, seed=seed) * magnitude).clamp(-3e38, 3e38)
    quantized = kernels.quantize(x, format, per, block=4, backend=backend)
    back = quantized.dequantize(backend)
    step = quantized.scale.double()
    if per == "block":
        step = step.repeat_interleave(4, -1)[..., :columns]
    # Integers step by 1; FP8 by 2^-mantissa of a number, and by its smallest number near zero.
    relative, smallest = {"fp8_e4m3": (2**-3, 2**-9), "fp8_e5m2": (2**-2, 2**-16)}.get(format, (0, 1))
    bound = torch.maximum(x.abs().double() * relative, step * smallest) / 2
    assert ((back.double() - x.double()).abs() <= bound * (1 + 1e-6) + 1e-45).all()
    again = kernels.quantize(back, format, per, block=4, backend=backend)
    torch.testing.assert_close(again.dequantize(backend), back, rtol=1e-6, atol=1e-38)


@backends
@formats
@groups
def test_zeros_and_empty_tensors(per, format, backend):
    for shape in ((2, 6), (0, 6), (2, 0)):
        quantized = kernels.quantize(torch.zeros(shape), format, per, block=4, backend=backend)
        assert quantized.scale.isfinite().all() and (quantized.scale > 0).all()
        back = quantized.dequantize(backend)
        assert back.shape == shape and (back == 0).all()


@backends
@formats
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_types_come_back(dtype, format, backend):
    x = normal(3, 10, dtype=dtype)
    quantized = kernels.quantize(x, format, "channel", backend=backend)
    back = quantized.dequantize(backend)
    assert back.dtype == dtype
    wanted = kernels.quantize(x.float(), format, "channel").dequantize().to(dtype)
    # The interpreter cuts bfloat16 off where a GPU rounds it.
    torch.testing.assert_close(back, wanted, rtol=2**-7 if dtype == torch.bfloat16 else 0, atol=0)


def test_bytes():
    x = normal(4, 256)
    sizes = {format: kernels.quantize(x, format, "block").nbytes for format in FORMATS}
    assert sizes == {"fp8_e4m3": 1024 + 32, "fp8_e5m2": 1024 + 32, "int8": 1024 + 32, "int4": 512 + 32}
    assert kernels.quantize(normal(4, 5), "int4").values.shape == (4, 3)


@backends
def test_strided_inputs_stay_as_they_are(backend):
    x = normal(9, 6).T[::2]
    copy = x.clone()
    for per in GROUPS:
        found, wanted = (
            kernels.quantize(x, "int8", per, block=4, backend=backend),
            kernels.quantize(copy, "int8", per, block=4),
        )
        assert torch.equal(found.values, wanted.values) and torch.equal(found.scale, wanted.scale)
    assert torch.equal(x, copy)


@backends
@groups
@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf], ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_finite_is_reported(bad, per, backend):
    x = normal(3, 10)
    x[1, 7] = bad
    with pytest.raises(BadShape, match="not finite"):
        kernels.quantize(x, "fp8_e4m3", per, block=4, backend=backend)
    unchecked = kernels.quantize(x, "fp8_e4m3", per, block=4, check=False, backend=backend)
    if per != "tensor":  # other groups are untouched
        assert torch.equal(unchecked.dequantize()[0], kernels.quantize(x[:1], per=per, block=4).dequantize()[0])


@backends
@groups
def test_the_backend_asked_for_runs(per, backend, monkeypatch):
    x = normal(3, 8)
    forbid_other(monkeypatch, backend, "quantization", "quantize", "dequantize")
    kernels.dequantize(kernels.quantize(x, "int4", per, block=4, backend=backend), backend)


def test_unknown_options_are_refused():
    with pytest.raises(UnknownName, match="fp8_e4m3, fp8_e5m2, int8, int4"):
        kernels.quantize(normal(4), "fp7")
    with pytest.raises(UnknownName, match="tensor, channel, block"):
        kernels.quantize(normal(4), per="row")
    for block in (0, 3):
        with pytest.raises(BadShape, match=f"block is {block}"):
            kernels.quantize(normal(4), "int4", "block", block)
    with pytest.raises(BadShape, match="int64"):
        kernels.quantize(torch.arange(4))
