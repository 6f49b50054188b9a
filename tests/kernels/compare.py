"""What the kernels' tests share: how near two results are, buffers that start as NaN, and which backend ran."""

import importlib
from contextlib import contextmanager

import pytest
import torch

BACKENDS = ("torch", "triton")  # triton is interpreted
BOUND = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 1e-5, torch.float64: 1e-12}


def assert_near(found, exact, bound=None, size=1.0):
    """Relative RMS error and largest error (in units of `size`) within a bound, by default that of found's type."""
    bound = BOUND[found.dtype] if bound is None else bound
    found, exact = found.detach().double(), torch.as_tensor(exact).detach().double()
    assert found.shape == exact.shape
    hidden = exact == -torch.inf
    assert torch.equal(found == -torch.inf, hidden)
    error, exact = (found - exact)[~hidden], exact[~hidden]
    if error.numel():
        assert error.abs().max() <= bound * size, f"largest error {error.abs().max():.2e}"
        assert error.square().mean().sqrt() <= bound * exact.square().mean().sqrt() + 1e-30, "relative RMS error"


@contextmanager
def nan_buffers():
    """New buffers hold NaN (integers 85), so that a cell a kernel forgets to write is seen."""

    def filled(make):
        def wrapper(*arguments, **options):
            made = make(*arguments, **options)
            return made.fill_(torch.nan if made.is_floating_point() else 85)

        return wrapper

    with torch.device("cpu"):
        torch.empty(0)  # torch remembers its constructors at their first use on a device: let it see the real ones
    with pytest.MonkeyPatch.context() as patch:
        for name in ("empty", "empty_like"):
            patch.setattr(torch, name, filled(getattr(torch, name)))
        yield


def forbid_other(patch, backend, family, *names):
    """Calling these functions of the family on the other backend fails the test."""
    other = {"torch": f"tlmviz.kernels.{family}_triton", "triton": f"tlmviz.kernels.reference.{family}"}[backend]

    def fail(*arguments, **options):
        raise AssertionError(f"{other} ran")

    for name in names:
        patch.setattr(importlib.import_module(other), name, fail)
