"""The Triton kernel itself on one head, beside torch: on CUDA as it is, elsewhere in Triton's interpreter."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from tlmviz import kernels
from tlmviz.errors import BadBackend
from tlmviz.kernels.interpreted import Interpreter

from .tiling import Inputs


@dataclass(frozen=True)
class KernelRun:
    """What the kernel gave for one head, what torch gives, and how long the kernel's call took, in seconds.

    `interpreted` tells Triton's interpreter from a card.
    """

    out: Float[np.ndarray, "t d"]
    lse: Float[np.ndarray, " t"]
    torch_out: Float[np.ndarray, "t d"]
    torch_lse: Float[np.ndarray, " t"]
    seconds: float
    interpreted: bool

    @property
    def errors(self) -> Float[np.ndarray, " t"]:
        """Largest difference of each output row."""
        return np.abs(self.out - self.torch_out).max(1)

    @property
    def error(self) -> float:
        """Largest difference of any number, out or lse."""
        return float(max(self.errors.max(), np.abs(self.lse - self.torch_lse).max()))


@torch.inference_mode()
def run_kernel(inputs: Inputs, interpreter: Interpreter) -> KernelRun:
    """Run one head's attention through the Triton kernel, and through torch. Raises BadBackend: no kernel, no
    triton."""
    if inputs.relative is not None:
        raise BadBackend("The Triton kernel has no relative positions: choose a model without them.")
    if inputs.softcap is not None:
        raise BadBackend("The Triton kernel has no soft-capped scores: choose a model without them.")
    q, k, v = (torch.from_numpy(part)[None, None] for part in (inputs.q, inputs.k, inputs.v))
    slopes = torch.tensor([inputs.slope]) if inputs.slope else None
    expected = kernels.attention(q, k, v, scale=inputs.scale, window=inputs.window, slopes=slopes, backend="torch")
    card = torch.cuda.is_available()
    start = time.perf_counter()
    if card:
        slopes = None if slopes is None else slopes.cuda()
        found = kernels.attention(
            q.cuda(), k.cuda(), v.cuda(), scale=inputs.scale, window=inputs.window, slopes=slopes, backend="triton"
        )
    else:
        found = interpreter.attention(q, k, v, scale=inputs.scale, window=inputs.window, slopes=slopes)
    out, lse = (part[0, 0].cpu().numpy() for part in found)
    seconds = time.perf_counter() - start
    torch_out, torch_lse = (part[0, 0].numpy() for part in expected)
    return KernelRun(out, lse, torch_out, torch_lse, seconds, not card)
