"""Numbers of 8 and 4 bits: quantised tensors with absmax scales. The public functions."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadShape, UnknownName

from .arguments import check_finite
from .backends import backend_for
from .quantized import Quantized
from .reference import quantization as reference

FORMATS = tuple(reference.LIMITS)  # fp8_e4m3, fp8_e5m2, int8, int4
GROUPS = ("tensor", "channel", "block")


def quantize(
    x: Float[Tensor, "*b n"],
    format: str = "fp8_e4m3",
    per: str = "tensor",
    block: int = 128,
    check: bool = True,
    backend: str = "auto",
) -> Quantized:
    """Round x / scale to a format, the scale mapping the largest |x| of each group to the format's largest number.

    A group is the tensor, a channel (a row of the last axis), or `block` neighbours of a row. Rounding is
    to nearest, ties to even; int8 uses -127 to 127 and int4 -7 to 7. Not differentiable.
    `check` raises BadShape on NaN or infinity, which on CUDA waits for the device; without it what such a
    group becomes is undefined. Raises BadShape, UnknownName, BadBackend. Source: 002 section 6, 003 section 7.
    """
    if format not in FORMATS:
        raise UnknownName(f"There is no format {format!r}; choose one of {', '.join(FORMATS)}.")
    if per not in GROUPS:
        raise UnknownName(f"There is no scale per {per!r}; choose one of {', '.join(GROUPS)}.")
    if x.ndim == 0 or not x.is_floating_point():
        raise BadShape(f"x must be a tensor of rows of real numbers; it is {x.dtype} of shape {list(x.shape)}.")
    if per == "block" and (block < 1 or (format == "int4" and block % 2)):
        raise BadShape(f"block is {block}; give a positive number, even for int4, which stores two numbers per byte.")
    chosen = backend_for(x, backend)
    if chosen == "triton":
        from . import quantization_triton

    run = quantization_triton if chosen == "triton" else reference
    values, scale = run.quantize(x.detach(), format, per, block)
    # The largest of a group that holds NaN or infinity is not finite either, so the scales alone tell.
    if check and not bool(scale.isfinite().all()):
        check_finite(x=x.float())
    return Quantized(values, scale, format, per, block, x.shape, x.dtype)


def dequantize(quantized: Quantized, backend: str = "auto") -> Float[Tensor, "*b n"]:
    """values * scale, in the shape and type of the tensor that was quantised. Raises BadBackend."""
    if backend_for(quantized.values, backend) == "triton":
        from . import quantization_triton

        return quantization_triton.dequantize(quantized)
    return reference.dequantize(quantized)
