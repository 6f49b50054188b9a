"""Weights in few bits, as live files and steps of a training hold them: matrices as 8-bit integers, a scale for each
row."""

from __future__ import annotations

import torch
from torch import Tensor

from tlmviz import kernels


def in_eight_bits(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as 8-bit integers, and the scale of each row as "name.scale", in half precision; vectors lose
    nothing."""
    found: dict[str, Tensor] = {}
    for name, value in weights.items():
        if value.ndim < 2:
            found |= in_sixteen_bits({name: value})
            continue
        kept = kernels.quantize(value.flatten(0, -2), "int8", per="channel")
        found[name], found[f"{name}.scale"] = kept.values.view(value.shape), kept.scale.flatten().half()
    return found


def out_of_eight_bits(stored: dict[str, Tensor]) -> dict[str, Tensor]:
    """The float32 weights that the engine makes of `in_eight_bits`."""
    return {
        name: (value.flatten(0, -2) * stored[f"{name}.scale"].float()[:, None]).view(value.shape)
        if value.dtype == torch.int8
        else value.float()
        for name, value in stored.items()
        if not name.endswith(".scale")
    }


def in_sixteen_bits(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights in half precision or bfloat16, where all of them lose nothing by it."""
    for dtype in (torch.float16, torch.bfloat16):
        if all(torch.equal(value.to(dtype).float(), value) for value in weights.values()):
            return {name: value.to(dtype) for name, value in weights.items()}
    return weights
