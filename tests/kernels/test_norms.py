"""Softmax and norms over rows: torch and interpreted Triton against torch in float64, NumPy and SciPy."""

import numpy as np
import pytest
import scipy.special
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from tlmviz import kernels, layers
from tlmviz.errors import BadShape
from tlmviz.kernels import norms_triton

from .compare import BACKENDS, assert_near, forbid_other, nan_buffers

WIDE, NARROW = 64, 8  # a block that holds a row whole, and one that walks it
LENGTHS = (1, 7, 8, 9, 19)
EPS = 1e-5


@pytest.fixture(autouse=True, scope="module")
def poisoned():
    with nan_buffers():
        yield


def normal(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


OPERATIONS = {
    # name: (Triton at a block, torch in float64)
    "softmax": (lambda x, w, b, block: norms_triton.softmax(x, block=block), lambda x, w, b: F.softmax(x, -1)),
    "rms_norm": (
        lambda x, w, b, block: norms_triton.rms_norm(x, w, EPS, block=block),
        lambda x, w, b: x / (x.square().mean(-1, keepdim=True) + EPS).sqrt() * w,
    ),
    "rms_norm, no weight": (
        lambda x, w, b, block: norms_triton.rms_norm(x, None, EPS, block=block),
        lambda x, w, b: x / (x.square().mean(-1, keepdim=True) + EPS).sqrt(),
    ),
    "layer_norm": (
        lambda x, w, b, block: norms_triton.layer_norm(x, w, b, EPS, block=block),
        lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, EPS),
    ),
    "layer_norm, no bias": (
        lambda x, w, b, block: norms_triton.layer_norm(x, w, None, EPS, block=block),
        lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, None, EPS),
    ),
}
operations = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)


def test_the_block_decides_between_one_pass_and_several():
    assert all(norms_triton.plan(normal(3, n), WIDE)[-1]["ONE_BLOCK"] for n in LENGTHS)
    assert [norms_triton.plan(normal(3, n), NARROW)[-1]["ONE_BLOCK"] for n in LENGTHS] == [
        True,
        True,
        True,
        False,
        False,
    ]


@operations
@pytest.mark.parametrize("block", [WIDE, NARROW])
@pytest.mark.parametrize("length", LENGTHS)
def test_kernel_and_its_gradients_equal_float64(length, block, operation, monkeypatch):
    monkeypatch.setattr(norms_triton, "TILE", 16)  # two rows a program, so that 5 rows end in half a block
    triton, exact = operation
    inputs = [normal(5, length, seed=1), normal(length, seed=2), normal(length, seed=3)]
    weight = normal(5, length, seed=4)
    for part in inputs:
        part.requires_grad_()
    doubles = [part.detach().double().requires_grad_() for part in inputs]
    found, wanted = triton(*inputs, block), exact(*doubles)
    assert_near(found, wanted)
    found_grads = torch.autograd.grad(found, inputs, weight, allow_unused=True)
    wanted_grads = torch.autograd.grad(wanted, doubles, weight.double(), allow_unused=True)
    for one, other in zip(found_grads, wanted_grads):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.dtype == torch.float32
            torch.testing.assert_close(one.double(), other, atol=1e-5 * max(1, float(other.abs().max())), rtol=0)


@operations
@pytest.mark.parametrize("block", [WIDE, NARROW])
def test_kernel_gradient_in_float64(block, operation):
    inputs = [normal(2, 9, dtype=torch.float64, seed=1), *(normal(9, dtype=torch.float64, seed=i) for i in (2, 3))]
    used = [part.requires_grad_() for part in inputs]
    assert torch.autograd.gradcheck(lambda *parts: operation[0](*parts, block), used, fast_mode=True)


@pytest.mark.parametrize("name", ["softmax", "rms_norm", "layer_norm"])
def test_reference_gradient_in_float64(name):
    x = normal(3, 5, dtype=torch.float64).requires_grad_()
    parameters = [normal(5, dtype=torch.float64, seed=i).requires_grad_() for i in range(2)]
    used = [x, *parameters[: ("softmax", "rms_norm", "layer_norm").index(name)]]
    assert torch.autograd.gradcheck(getattr(kernels, name), used, fast_mode=True)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_types_are_kept(dtype, backend):
    x, w, b = normal(3, 10, dtype=dtype), normal(10, dtype=dtype, seed=1), normal(10, dtype=dtype, seed=2)
    doubles = x.double(), w.double(), b.double()
    for found, wanted in (
        (kernels.softmax(x, backend=backend), F.softmax(doubles[0], -1)),
        (kernels.rms_norm(x, w, backend=backend), OPERATIONS["rms_norm"][1](*doubles)),
        (kernels.layer_norm(x, w, b, backend=backend), OPERATIONS["layer_norm"][1](*doubles)),
    ):
        assert found.dtype == dtype
        assert_near(found, wanted, size=4)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", [(7,), (0, 4), (3, 0), (2, 0, 4), (2, 3, 4)], ids=str)
def test_any_leading_axes(shape, backend):
    x, w = normal(*shape).requires_grad_(), normal(shape[-1], seed=1).requires_grad_()
    for found, wanted in (
        (kernels.softmax(x, backend=backend), F.softmax(x, -1)),
        (kernels.rms_norm(x, w, backend=backend), F.rms_norm(x, x.shape[-1:], w, EPS)),
        (kernels.layer_norm(x, w, w, backend=backend), F.layer_norm(x, x.shape[-1:], w, w, EPS)),
    ):
        assert_near(found, wanted)
        found.sum().backward()
        assert x.grad.isfinite().all()
    assert w.grad.isfinite().all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_strided_inputs_stay_as_they_are(backend):
    x = normal(9, 6).T[::2]
    w = normal(18)[::2]
    copies = x.clone(), w.clone()
    assert_near(kernels.softmax(x, backend=backend), F.softmax(copies[0].double(), -1))
    assert_near(kernels.rms_norm(x, w, backend=backend), OPERATIONS["rms_norm"][1](*(c.double() for c in copies), None))
    assert_near(kernels.layer_norm(x, w, w, backend=backend), F.layer_norm(copies[0], (9,), copies[1], copies[1]))
    assert torch.equal(x, copies[0]) and torch.equal(w, copies[1])


class TestSoftmax:
    @pytest.mark.parametrize("block", [None, WIDE, NARROW])
    def test_hidden_cells_and_hidden_rows_are_zero(self, block):
        x = normal(4, 19)
        x[0, ::2] = x[1] = x[2, :10] = -torch.inf
        x[3] = torch.tensor([-torch.inf] * 18 + [3.0])
        x.requires_grad_()
        p = kernels.softmax(x) if block is None else norms_triton.softmax(x, block=block)
        wanted = scipy.special.softmax(x.detach().double().numpy()[[0, 2, 3]], -1)
        assert_near(p[[0, 2, 3]], wanted)
        assert (p[1] == 0).all()
        (p * torch.arange(19)).sum().backward()
        assert x.grad.isfinite().all() and (x.grad[1] == 0).all() and x.grad[0].abs().max() > 0

    @pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # 1e38 - -1e38 is infinite, and its exp still 0
    @pytest.mark.parametrize("block", [None, WIDE, NARROW])
    def test_large_logits(self, block):
        x = torch.stack(
            [normal(19) * 1e4, torch.full((19,), 1e4), torch.full((19,), -1e4), 1e4 + normal(19), normal(19) * 1e38]
        )
        p = kernels.softmax(x) if block is None else norms_triton.softmax(x, block=block)
        assert_near(p, scipy.special.softmax(x.double().numpy(), -1))

    def test_nan_is_not_hidden(self):
        x = normal(3, 4)
        x[1, 2] = torch.nan
        p = kernels.softmax(x)
        assert p[1].isnan().all() and p[[0, 2]].isfinite().all()

    @pytest.mark.parametrize("backend", BACKENDS)
    @settings(max_examples=15)
    @given(shift=st.floats(-1e4, 1e4), length=st.integers(1, 40), seed=st.integers(0, 99))
    def test_rows_sum_to_one_whatever_is_added(self, backend, shift, length, seed):
        x = normal(3, length, seed=seed)
        p, shifted = kernels.softmax(x, backend=backend), kernels.softmax(x.double() + shift, backend=backend)
        assert_near(p.sum(-1), torch.ones(3))
        assert_near(p, shifted)


class TestNorms:
    @pytest.mark.parametrize("block", [WIDE, NARROW])
    def test_large_inputs(self, block):
        x = normal(3, 19) * 1e4 + 1e4
        found = norms_triton.rms_norm(x, None, EPS, block=block)
        assert_near(found, OPERATIONS["rms_norm, no weight"][1](x.double(), None, None))
        found = norms_triton.layer_norm(x, None, None, EPS, block=block)
        assert_near(found, F.layer_norm(x.double(), (19,)))

    @pytest.mark.parametrize("block", [WIDE, NARROW])
    def test_a_small_spread_about_a_large_mean(self, block):
        """mean(x^2) - mean^2 would be off by whole units here."""
        x = 1e4 + normal(3, 19)
        found = norms_triton.layer_norm(x, None, None, EPS, block=block)
        assert_near(found, F.layer_norm(x.double(), (19,)), 2e-3)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the empty rows of a block divide by eps = 0
    @pytest.mark.parametrize("backend", BACKENDS)
    @settings(max_examples=15)
    @given(factor=st.floats(0.5, 100), shift=st.floats(-50, 50), seed=st.integers(0, 99))
    def test_scale_and_shift_do_not_matter(self, backend, factor, shift, seed):
        x = normal(2, 12, dtype=torch.float64, seed=seed)
        rms = [kernels.rms_norm(part, eps=0.0, backend=backend) for part in (x, x * factor)]
        layer = [kernels.layer_norm(part, eps=0.0, backend=backend) for part in (x, x * factor + shift)]
        assert_near(rms[0], rms[1])
        assert_near(layer[0], layer[1], 1e-9)
        np.testing.assert_allclose(rms[0].square().mean(-1), 1, atol=1e-9)
        np.testing.assert_allclose(layer[0].mean(-1), 0, atol=1e-9)
        np.testing.assert_allclose(layer[0].var(-1, correction=0), 1, atol=1e-9)

    def test_modules_are_torch_modules_with_the_kernels_inside(self, monkeypatch):
        x = normal(2, 3, 12)
        for ours, theirs in (
            (layers.RMSNorm(12, eps=EPS), nn.RMSNorm(12, eps=EPS)),
            (layers.LayerNorm(12), nn.LayerNorm(12)),
        ):
            theirs.load_state_dict(ours.state_dict())
            assert torch.equal(ours(x), theirs(x))
        for name, module in (("rms_norm", layers.RMSNorm(12)), ("layer_norm", layers.LayerNorm(12))):
            answer = torch.randn(2, 3, 12)
            monkeypatch.setattr(kernels, name, lambda *arguments, answer=answer: answer)
            assert module(x) is answer


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["softmax", "rms_norm", "layer_norm"])
def test_the_backend_asked_for_runs(name, backend, monkeypatch):
    x = normal(3, 4)
    wanted = getattr(kernels, name)(x)
    forbid_other(monkeypatch, backend, "norms", name)
    assert_near(getattr(kernels, name)(x, backend=backend), wanted)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: kernels.rms_norm(normal(2, 4), normal(3)), ("weight [3]", "[2, 4]")),
        (lambda: kernels.layer_norm(normal(2, 4), normal(4), normal(2, 4)), ("bias [2, 4]", "[2, 4]")),
        (lambda: kernels.softmax(torch.arange(4)), ("int64",)),
        (lambda: kernels.softmax(torch.tensor(1.0)), ("[]",)),
    ],
)
def test_bad_shapes_are_named(call, words):
    with pytest.raises(BadShape) as error:
        call()
    assert all(word in str(error.value) for word in words)
