"""Sinkhorn-Knopp: torch and interpreted Triton against plain divisions in NumPy and against SciPy's logsumexp."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from tlmviz import kernels
from tlmviz.errors import BadShape
from tlmviz.kernels import sinkhorn_triton
from tlmviz.kernels.reference import sinkhorn as reference

from .compare import BACKENDS, assert_near, forbid_other, nan_buffers

backends = pytest.mark.parametrize("backend", BACKENDS)
sizes = pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 16])


@pytest.fixture(autouse=True, scope="module")
def poisoned():
    with nan_buffers():
        yield


def normal(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def divisions(logits, iterations=20):
    m = np.exp(logits.double().numpy())
    for _ in range(iterations):
        m = m / m.sum(-1, keepdims=True)
        m = m / m.sum(-2, keepdims=True)
    return m


def logarithms(logits, iterations=20):
    """Alternate log-sum-exps, with lines of nothing but -inf left alone."""
    z = logits.double().numpy()
    for _ in range(iterations):
        for axis in (-1, -2):
            total = logsumexp(z, axis=axis, keepdims=True)
            z = z - np.where(np.isneginf(total), 0, total)
    return np.exp(z)


@backends
@sizes
@pytest.mark.parametrize("iterations", [1, 2, 20])
def test_equals_plain_divisions(n, iterations, backend):
    logits = normal(3, 2, n, n)
    assert_near(kernels.sinkhorn(logits, iterations, backend=backend), divisions(logits, iterations))
    double = kernels.sinkhorn(logits.double(), iterations, backend=backend)
    assert_near(double, divisions(logits, iterations))


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 9])
def test_every_number_of_matrices(count, monkeypatch):
    """Four matrices a program, and four a chunk."""
    monkeypatch.setattr(reference, "CHUNK", 4 * 9)
    logits = normal(count, 3, 3).requires_grad_()
    weight = normal(count, 3, 3, seed=1)
    found = kernels.sinkhorn(logits), sinkhorn_triton.sinkhorn(logits, 20, block=4)
    gradients = [torch.autograd.grad(part, logits, weight)[0] for part in found]
    for part, gradient in zip(found, gradients):
        assert_near(part, divisions(logits.detach()))
        assert_near(gradient, unrolled(logits, weight), size=2)


def unrolled(logits, weight, iterations=20):
    """The gradient by autograd through every iteration, in float64."""
    double = logits.detach().double().requires_grad_()
    p = kernels.sinkhorn_iterates(double, iterations)[-1]
    return torch.autograd.grad(p, double, weight.double())[0]


@backends
@pytest.mark.parametrize("scale", [1.0, 40.0], ids=["products", "logarithms"])
@pytest.mark.parametrize("iterations", [1, 7])
@pytest.mark.parametrize("n", [1, 3, 4])
def test_gradient(n, iterations, scale, backend):
    logits = (normal(2, n, n, dtype=torch.float64) * scale).requires_grad_()
    assert reference._scale(logits.detach().permute(1, 2, 0), 1)[1] == (scale > 1 and n > 1)
    call = lambda x: kernels.sinkhorn(x, iterations, backend=backend)  # noqa: E731
    assert torch.autograd.gradcheck(call, [logits], fast_mode=True)
    weight = normal(2, n, n, seed=1)
    gradient = torch.autograd.grad(call(logits), logits, weight.double())[0]
    torch.testing.assert_close(gradient, unrolled(logits, weight, iterations), atol=1e-12, rtol=1e-9)


@backends
@pytest.mark.parametrize("scale", [10, 60, 1e4])
def test_wide_logits_hold(scale, backend):
    """Plain exp overflows at 89, and a column of far smaller entries would be 0 / 0."""
    logits = torch.cat([normal(6, 4, 4) * scale, torch.tensor([[[0.0, -1.0], [0.0, -1.0]]]).mul(scale).repeat(1, 2, 2)])
    logits.requires_grad_()
    p = kernels.sinkhorn(logits, backend=backend)
    exact = logarithms(logits.detach())
    # Logits of 1e4 are themselves known to 5e-4 only, half a unit in their last place.
    assert_near(p, exact, max(1e-5, scale * 2e-7))
    assert_near(p[-1], torch.full((4, 4), 0.25))
    (p * normal(7, 4, 4, seed=1)).sum().backward()
    assert logits.grad.isfinite().all()


@backends
def test_equal_logits_at_any_height(backend):
    for height in (0.0, 1e4, -1e4, 3e38):
        assert_near(kernels.sinkhorn(torch.full((1, 5, 5), height), backend=backend), torch.full((1, 5, 5), 0.2))


@backends
def test_hidden_cells_stay_zero(backend):
    logits = normal(4, 4, 4)
    logits[0, 1], logits[1, :, 2], logits[2, 0, 0] = -torch.inf, -torch.inf, -torch.inf
    logits[3] = -torch.inf
    logits.requires_grad_()
    p = kernels.sinkhorn(logits, backend=backend)
    assert_near(p, logarithms(logits.detach()))
    assert (p[logits == -torch.inf] == 0).all()
    assert_near(kernels.sinkhorn_iterates(logits.detach())[-1], p)
    (p * normal(4, 4, 4, seed=1)).sum().backward()
    assert logits.grad.isfinite().all() and logits.grad[2].abs().max() > 0


@backends
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_types_are_kept_and_computed_in_float32(dtype, backend):
    logits = normal(3, 4, 4, dtype=dtype).requires_grad_()
    p = kernels.sinkhorn(logits, backend=backend)
    assert p.dtype == dtype
    assert_near(p, divisions(logits.detach()))
    p.square().sum().backward()
    assert logits.grad.dtype == dtype and logits.grad.isfinite().all()


@backends
def test_strided_inputs_stay_as_they_are(backend):
    logits = normal(4, 4, 6).permute(2, 1, 0)[::2].requires_grad_()
    copy = logits.detach().clone()
    p = kernels.sinkhorn(logits, backend=backend)
    assert_near(p, divisions(copy))
    p.square().sum().backward()
    assert torch.equal(logits, copy)


@backends
@settings(max_examples=12)
@given(n=st.integers(1, 6), seed=st.integers(0, 999), spread=st.floats(0.1, 3))
def test_doubly_stochastic_and_equivariant(backend, n, seed, spread):
    logits = normal(n, n, seed=seed) * spread
    generator = torch.Generator().manual_seed(seed)
    order, other = torch.randperm(n, generator=generator), torch.randperm(n, generator=generator)
    p, permuted = kernels.sinkhorn(torch.stack([logits, logits[order][:, other]]), 10, backend=backend)
    assert_near(permuted, p[order][:, other])
    rows, columns = kernels.sinkhorn_errors(p)
    assert (p >= 0).all() and columns < 1e-5
    assert rows <= kernels.sinkhorn_errors(kernels.sinkhorn(logits, 1, backend=backend))[0] + 1e-5


@given(n=st.integers(2, 6), seed=st.integers(0, 999))
def test_a_factor_on_a_row_or_a_column_is_divided_out(n, seed):
    logits = normal(n, n, seed=seed, dtype=torch.float64)
    shifted = logits + normal(n, 1, seed=seed + 1) + normal(1, n, seed=seed + 2)
    assert_near(kernels.sinkhorn(shifted, 300), kernels.sinkhorn(logits, 300), 1e-6)


@backends
def test_temperature(backend):
    logits = normal(2, 4, 4)
    assert_near(kernels.sinkhorn(logits, temperature=2.0, backend=backend), divisions(logits / 2))
    sharp = kernels.sinkhorn(logits, temperature=1e-3, backend=backend)
    assert_near(sharp, logarithms(logits / 1e-3), 1e-3)


def test_iterates_are_what_fewer_iterations_give():
    logits = normal(3, 4, 4)
    steps = kernels.sinkhorn_iterates(logits, 5, temperature=0.5)
    assert steps.shape == (6, 3, 4, 4)
    assert_near(steps[0].amax((-1, -2)), torch.ones(3))
    for count in range(1, 6):
        assert_near(steps[count], kernels.sinkhorn(logits, count, temperature=0.5))
    assert kernels.sinkhorn_iterates(normal(2, 2) * 1e4 + 1e4).isfinite().all()


def test_errors_are_the_largest_distance_of_a_sum_from_one():
    p = torch.tensor([[[0.5, 0.7], [0.4, 0.6]], [[0.5, 0.5], [0.5, 0.5]]])
    rows, columns = kernels.sinkhorn_errors(p)
    assert_near(rows, torch.tensor([0.2, 0.0]))
    assert_near(columns, torch.tensor([0.3, 0.0]))


@backends
def test_the_backend_asked_for_runs(backend, monkeypatch):
    logits = normal(2, 3, 3)
    wanted = divisions(logits)
    forbid_other(monkeypatch, backend, "sinkhorn", "sinkhorn")
    assert_near(kernels.sinkhorn(logits, backend=backend), wanted)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: kernels.sinkhorn(normal(2, 17, 17)), ("1 to 16", "[2, 17, 17]")),
        (lambda: kernels.sinkhorn(normal(3, 4)), ("[3, 4]",)),
        (lambda: kernels.sinkhorn(normal(4)), ("[4]",)),
        (lambda: kernels.sinkhorn(normal(2, 0, 0)), ("[2, 0, 0]",)),
        (lambda: kernels.sinkhorn(normal(2, 2), 0), ("iterations is 0",)),
        (lambda: kernels.sinkhorn(normal(2, 2), temperature=0.0), ("temperature is 0.0",)),
        (lambda: kernels.sinkhorn(torch.ones(2, 2, dtype=torch.int64)), ("int64",)),
        (lambda: kernels.sinkhorn_iterates(normal(2, 3)), ("[2, 3]",)),
        (lambda: kernels.sinkhorn_errors(normal(2, 3)), ("[2, 3]",)),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(BadShape) as error:
        call()
    assert all(word in str(error.value) for word in words)
