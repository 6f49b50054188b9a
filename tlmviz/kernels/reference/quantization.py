"""Numbers of 8 and 4 bits in torch. Arguments are checked by the public functions."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from ..quantized import Quantized

# The largest number of each format; integers are kept symmetric, so that -x has the code of x negated.
LIMITS = {"fp8_e4m3": 448.0, "fp8_e5m2": 57344.0, "int8": 127.0, "int4": 7.0}
STORED = {"fp8_e4m3": torch.float8_e4m3fn, "fp8_e5m2": torch.float8_e5m2, "int8": torch.int8, "int4": torch.uint8}
SMALLEST = 2.0**-126  # the smallest normal float32: a scale below it would lose digits, or be zero


def quantize(x: Tensor, format: str, per: str, block: int) -> tuple[Tensor, Tensor]:
    """Values and scales; see `kernels.quantize`."""
    x = x.float()
    grouped = _groups(x, per, block)
    if x.numel():
        largest = grouped.abs().amax(() if per == "tensor" else -1)
    else:
        largest = x.new_zeros(grouped.shape[:-1] if per != "tensor" else ())
    scale = scale_of(largest, format)
    ratio = grouped / (scale if per == "tensor" else scale[..., None])
    values = ratio.flatten(-2)[..., : x.shape[-1]] if per == "block" else ratio.view(x.shape)
    return _store(values, format), scale


def scale_of(largest: Tensor, format: str) -> Tensor:
    """What one step of a format is worth in a group with this largest magnitude."""
    return (largest / LIMITS[format]).clamp(min=SMALLEST)


def dequantize(quantized: Quantized) -> Tensor:
    """See `kernels.dequantize`."""
    values = quantized.values
    if quantized.format == "int4":
        # Shifting up and down again as a signed byte copies the sign bit of the half.
        halves = torch.stack((values << 4, values), -1).view(torch.int8) >> 4
        values = halves.flatten(-2)[..., : quantized.shape[-1]]
    grouped = _groups(values.float(), quantized.per, quantized.block)
    product = grouped * (quantized.scale if quantized.per == "tensor" else quantized.scale[..., None])
    if quantized.per == "block":
        product = product.flatten(-2)[..., : quantized.shape[-1]]
    return product.reshape(quantized.shape).to(quantized.dtype)


def _groups(x: Tensor, per: str, block: int) -> Tensor:
    """One group per row of the result: [..., 1, N] per channel, [..., N/block, block] per block, zeros filling up."""
    if per == "tensor":
        return x
    if per == "channel":
        return x[..., None, :]
    return F.pad(x, (0, -x.shape[-1] % block)).unflatten(-1, (-1, block))


def _store(values: Tensor, format: str) -> Tensor:
    if format.startswith("fp8"):
        return values.clamp(-LIMITS[format], LIMITS[format]).to(STORED[format])  # the cast rounds ties to even
    codes = values.round().clamp(-LIMITS[format], LIMITS[format]).to(torch.int8)
    if format == "int8":
        return codes
    low, high = F.pad(codes, (0, codes.shape[-1] % 2)).view(torch.uint8).unflatten(-1, (-1, 2)).unbind(-1)
    return (low & 15) | (high << 4)
