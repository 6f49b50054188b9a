"""Matrix products as tensor cores make them of FP16, on any processor."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

_ATEN = torch.ops.aten
PRODUCTS = {_ATEN.mm.default, _ATEN.bmm.default, _ATEN.addmm.default, _ATEN.baddbmm.default}


class HalfProducts(TorchDispatchMode):
    """Within it, matrix products take and give numbers of FP16 and add up in FP32, as tensor cores do; so does the
    backward pass.

    What `torch.autocast("cpu", torch.float16)` computes but for the order of sums, eight times faster on a CPU without
    instructions for FP16. FlashAttention's inner products stay in FP32; what goes in and out of it is rounded by its
    neighbours.
    """

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if function not in PRODUCTS:
            return function(*args, **(kwargs or {}))
        rounded = [_half(arg) if isinstance(arg, Tensor) else arg for arg in args]
        return _half(function(*rounded, **(kwargs or {})))


def _half(x: Tensor) -> Tensor:
    return x.half().to(x.dtype)
