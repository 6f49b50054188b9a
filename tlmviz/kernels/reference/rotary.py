"""Rotary position embedding in torch. Arguments are checked by the public functions."""

from __future__ import annotations

import torch
from torch import Tensor


def angle_table(positions: Tensor, dim: int, base: float, scaling: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """See `kernels.angle_table`. Angles are formed in float64: t * frequency loses digits in float32 at large t."""
    if scaling is None:
        plane = torch.arange(0, dim, 2, dtype=torch.float64, device=positions.device)
        scaling = float(base) ** (-plane / dim)
    angles = positions.to(torch.float64)[..., None] * scaling.to(torch.float64)
    return angles.cos().float(), angles.sin().float()


def rotate(x: Tensor, cos: Tensor, sin: Tensor, *, layout: str) -> Tensor:
    """See `kernels.rotate`."""
    if cos.ndim == 3:  # a table per sequence: the axes between, such as heads, share it
        between = (1,) * (x.ndim - 3)
        cos, sin = (part.unflatten(0, (len(part), *between)) for part in (cos, sin))  # [B, 1.., T, P]
    if x.dtype in (torch.float16, torch.bfloat16):  # half the digits of an angle are not enough
        return rotate(x.float(), cos, sin, layout=layout).to(x.dtype)
    dims = 2 * cos.shape[-1]
    if dims < x.shape[-1]:
        return torch.cat((rotate(x[..., :dims], cos, sin, layout=layout), x[..., dims:]), -1)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    if layout == "interleaved":
        return torch.view_as_real(_planes(x) * torch.complex(cos, sin)).flatten(-2)
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)


def _planes(x: Tensor) -> Tensor:
    """Dimensions (2j, 2j + 1) as one complex number each, whose product with cos + i sin turns it: one pass over
    memory."""
    planes = x.unflatten(-1, (-1, 2))
    aligned = planes.stride(-1) == 1 and not any(size % 2 for size in (*planes.stride()[:-1], x.storage_offset()))
    return torch.view_as_complex(planes if aligned else planes.contiguous())
