"""Which backend runs an operation on a tensor."""

from __future__ import annotations

import os
from importlib import util

from torch import Tensor

from ..errors import BadBackend

BACKENDS = ("auto", "torch", "triton")


def backend_for(tensor: Tensor, backend: str = "auto") -> str:
    """The backend that will run on this tensor: "torch" or "triton". Raises BadBackend.

    "auto" is Triton on CUDA and torch elsewhere. "triton" on a CPU runs only in Triton's interpreter
    (TRITON_INTERPRET=1, for tests); it never falls back silently.
    """
    if backend not in BACKENDS:
        raise BadBackend(f"There is no backend {backend!r}; choose one of {', '.join(BACKENDS)}.")
    if backend == "torch" or (backend == "auto" and not (_on_card(tensor) and _installed())):
        return "torch"
    if not _installed():
        raise BadBackend("backend='triton' needs the package triton, which is not installed; use 'auto' or 'torch'.")
    if not tensor.is_cuda and os.environ.get("TRITON_INTERPRET") != "1":
        raise BadBackend(
            f"backend='triton' needs a CUDA tensor, this one is on {tensor.device}; use 'auto' or 'torch'."
        )
    return "triton"


def _on_card(tensor: Tensor) -> bool:
    """Where "auto" means Triton."""
    return tensor.is_cuda


def _installed() -> bool:
    return util.find_spec("triton") is not None
