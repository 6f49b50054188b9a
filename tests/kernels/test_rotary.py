"""RoPE: torch and interpreted Triton against multiplication by unit complex numbers."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlmviz import kernels
from tlmviz.errors import BadBackend, BadShape
from tlmviz.kernels import rotary_triton
from tlmviz.kernels.reference import rotary as reference

from .compare import BACKENDS, assert_near, forbid_other, nan_buffers

LAYOUTS = kernels.LAYOUTS


@pytest.fixture(autouse=True, scope="module")
def poisoned():
    with nan_buffers():
        yield


def exact(x, positions, layout, dims=None, base=10000.0):
    """[B, H, T, D] turned in float64, one plane at a time."""
    dims = x.shape[-1] if dims is None else dims
    out = x.double().clone()
    for plane in range(dims // 2):
        i, j = (2 * plane, 2 * plane + 1) if layout == "interleaved" else (plane, plane + dims // 2)
        angle = positions.double() * base ** (-2 * plane / dims)
        angle = angle[:, None] if positions.ndim == 2 else angle
        turned = torch.complex(out[..., i], out[..., j]) * torch.polar(torch.ones_like(angle), angle)
        out[..., i], out[..., j] = turned.real, turned.imag
    return out


def normal(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def run(x, positions, layout, dims=None, block=4):
    tables = kernels.angle_table(positions, x.shape[-1] if dims is None else dims)
    return rotary_triton.rotate(x, *tables, layout=layout, block=block)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dims", [None, 6, 2])
@pytest.mark.parametrize("length", [1, 3, 4, 5, 9])
def test_kernel_equals_complex_numbers(length, dims, layout):
    """Blocks of 4 positions: one short, full, one over; and 6 of 10 dimensions are no power of two."""
    x = normal(2, 3, length, 10)
    for positions in (torch.arange(length) * 7, torch.arange(2 * length).view(2, length) ** 2):
        wanted = exact(x, positions, layout, dims)
        assert_near(run(x, positions, layout, dims), wanted)
        assert_near(kernels.rope(x, positions, layout=layout, dims=dims), wanted)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_types_are_kept(dtype, backend):
    x, positions = normal(1, 2, 5, 8, dtype=dtype), torch.arange(5) * 100
    turned = kernels.rope(x, positions, backend=backend)
    assert turned.dtype == dtype
    # Angles are float32 for every type.
    assert_near(turned, exact(x, positions, "interleaved"), 1e-5 if dtype == torch.float64 else None, size=4)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", [(5, 8), (2, 5, 8), (2, 3, 4, 5, 8), (0, 5, 8), (2, 0, 5, 8), (2, 0, 8)], ids=str)
def test_any_leading_axes(shape, backend):
    x, positions = normal(*shape), torch.arange(shape[-2])
    turned = kernels.rope(x, positions, layout="half", backend=backend)
    wanted = exact(x.reshape(1, math.prod(shape[:-2]), *shape[-2:]), positions, "half")
    assert_near(turned, wanted.reshape(shape))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_strided_inputs_are_read_where_they_lie_and_stay_as_they_are(layout, backend):
    whole = normal(2, 5, 3, 16).transpose(1, 2)[..., ::2]  # [B, H, T, D] as a network makes it, every second number
    copy = whole.clone()
    turned = kernels.rope(whole, torch.arange(5), layout=layout, backend=backend)
    assert_near(turned, exact(copy, torch.arange(5), layout))
    assert torch.equal(whole, copy) and turned.is_contiguous()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("width", [18, 19])
def test_pairs_may_begin_at_any_place_in_memory(width, first, backend):
    x = normal(2, 3, 5, width)[..., first : first + 16]
    turned = kernels.rope(x, torch.arange(5), backend=backend)
    assert_near(turned, exact(x, torch.arange(5), "interleaved"))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradient(layout, backend):
    x = normal(2, 2, 3, 6, dtype=torch.float64).requires_grad_()
    for positions in (torch.arange(3), torch.arange(6).view(2, 3)):
        for dims in (None, 4):
            turn = lambda x: kernels.rope(x, positions, layout=layout, dims=dims, backend=backend)  # noqa: B023, E731
            assert torch.autograd.gradcheck(turn, [x], fast_mode=True)


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=15)
@given(start=st.integers(-5000, 5000), dims=st.sampled_from([2, 4, 8]), layout=st.sampled_from(LAYOUTS))
def test_turning_back_gives_the_input_and_the_rest_never_moves(backend, start, dims, layout):
    x, positions = normal(1, 2, 4, 8), torch.arange(start, start + 4)
    turned = kernels.rope(x, positions, layout=layout, dims=dims, backend=backend)
    assert torch.equal(turned[..., dims:], x[..., dims:])
    assert_near(kernels.rope(turned, -positions, layout=layout, dims=dims, backend=backend), x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_scaling_replaces_the_frequencies(backend):
    x, positions = normal(1, 2, 6, 8), torch.arange(6) * 11
    usual = 500.0 ** (-torch.arange(0, 8, 2).double() / 8)
    same = kernels.rope(x, positions, scaling=usual, backend=backend)
    assert_near(same, kernels.rope(x, positions, base=500.0))
    # Position interpolation: half the frequencies are the same as half the positions.
    slower = kernels.rope(x, positions * 2, scaling=usual / 2, backend=backend)
    assert_near(slower, same)


def test_learned_frequencies_have_a_gradient_in_torch_and_are_refused_by_the_kernel():
    x, scaling = (
        normal(1, 1, 3, 4, dtype=torch.float64),
        torch.tensor([1.0, 0.1], dtype=torch.float64, requires_grad=True),
    )
    kernels.rope(x, torch.arange(3), scaling=scaling)[..., ::2].sum().backward()
    assert scaling.grad.abs().min() > 0
    with pytest.raises(BadBackend, match="gradient"):
        kernels.rope(x, torch.arange(3), scaling=scaling, backend="triton")


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_backend_asked_for_runs(backend, monkeypatch):
    x, positions = normal(1, 1, 4, 4), torch.arange(4)
    tables = kernels.angle_table(positions, 4)
    wanted = reference.rotate(x, *tables, layout="half")
    forbid_other(monkeypatch, backend, "rotary", "rotate")
    assert_near(kernels.rope(x, positions, layout="half", backend=backend), wanted)
    assert_near(kernels.rotate(x, *tables, layout="half", backend=backend), wanted)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda x, t: kernels.rope(x, t, dims=5), ("5 is odd",)),
        (lambda x, t: kernels.rope(x, t, dims=10), ("dims is 10", "8 dimensions")),
        (lambda x, t: kernels.rope(x, t, dims=-2), ("dims is -2",)),
        (lambda x, t: kernels.rope(x, torch.arange(10).view(2, 5)), ("[2, 5]", "5 positions")),
        (lambda x, t: kernels.rope(x[0, 0], t[None]), ("[1, 5]", "5 positions")),
        (lambda x, t: kernels.rope(x[0, 0], t[0]), ("[]", "5 positions")),
        (lambda x, t: kernels.rope(x, t, scaling=torch.ones(3)), ("[3]", "4 planes")),
        (lambda x, t: kernels.rotate(x, torch.ones(5, 5), torch.ones(5, 5)), ("[5, 5]", "[3, 1, 5, 8]")),
        (lambda x, t: kernels.rotate(x[0, 0], torch.ones(4), torch.ones(4)), ("[4]", "[5, 8]")),
        (lambda x, t: kernels.rotate(x, torch.ones(5, 4), torch.ones(5, 3)), ("[5, 4]", "[5, 3]")),
    ],
)
def test_bad_shapes_are_named(call, words):
    with pytest.raises(BadShape) as error:
        call(normal(3, 1, 5, 8), torch.arange(5))
    assert all(word in str(error.value) for word in words)
