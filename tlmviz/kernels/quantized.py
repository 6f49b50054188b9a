"""A tensor in 8 or 4 bits, as `kernels.quantize` gives it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Quantized:
    """A quantised tensor x, about values * scale.

    `values` is float8_e4m3fn, float8_e5m2 or int8 in x's shape; for int4 uint8 with two numbers of the
    last axis per byte, the first in the low half, [..., ceil(N/2)]. `scale` is float32: [] per tensor,
    [..., 1] per channel, [..., ceil(N/block)] per block. `shape` and `dtype` are x's.
    """

    values: Tensor
    scale: Tensor
    format: str
    per: str
    block: int
    shape: torch.Size
    dtype: torch.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of values and scales together."""
        return self.values.nbytes + self.scale.nbytes

    def dequantize(self, backend: str = "auto") -> Float[Tensor, "*b n"]:
        """The numbers that are stored, in x's shape and type."""
        from .quantization import dequantize

        return dequantize(self, backend)
