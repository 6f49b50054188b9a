"""Rotary position embedding: the public functions."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..errors import BadBackend, BadShape, UnknownName
from .backends import backend_for
from .reference import rotary as reference

LAYOUTS = ("interleaved", "half")


def half_order(dim: int) -> Int[Tensor, " d"]:
    """Which interleaved dimension stands where in the half-split layout, [D]: 0, 2, 4, ..., then 1, 3, 5, ..."""
    return torch.arange(dim).unflatten(0, (-1, 2)).T.flatten()


def rope(
    x: Float[Tensor, "*b t d"],
    positions: Int[Tensor, " t"] | Int[Tensor, "b t"],
    base: float = 10000.0,
    layout: str = "interleaved",
    dims: int | None = None,
    scaling: Float[Tensor, " p"] | None = None,
    backend: str = "auto",
) -> Float[Tensor, "*b t d"]:
    """Rotate plane j of the vector at position t by t * base^(-2j/dims) radians.

    Layout "interleaved" pairs dimensions (2j, 2j+1), "half" pairs (j, j + dims/2). Only the first `dims`
    dimensions turn (default: all D); `scaling` replaces the frequencies, in radians per position, one per plane.
    `positions` are shared, or one row for each entry of x's first axis. Raises BadShape, UnknownName, BadBackend.
    Source: 000 section 3.3 with the exponent written in full (the notes shorten it to theta^j).
    """
    dims = x.shape[-1] if dims is None else dims
    if dims % 2:
        raise BadShape(f"RoPE rotates pairs of dimensions; {dims} is odd.")
    if not 0 <= dims <= x.shape[-1]:
        raise BadShape(f"dims is {dims}; x has {x.shape[-1]} dimensions, so give an even number up to that.")
    if tuple(positions.shape) not in _per_position(x):
        raise BadShape(
            f"positions has shape {list(positions.shape)}, x has {x.shape[-2]} positions; give one each, "
            "or one row of them for each entry of x's first axis."
        )
    if scaling is not None and tuple(scaling.shape) != (dims // 2,):
        raise BadShape(f"scaling {list(scaling.shape)} must hold one frequency for each of the {dims // 2} planes.")
    return rotate(x, *angle_table(positions, dims, base, scaling), layout=layout, backend=backend)


def rotate(
    x: Float[Tensor, "*b t d"],
    cos: Float[Tensor, "*r t p"],
    sin: Float[Tensor, "*r t p"],
    layout: str = "interleaved",
    backend: str = "auto",
) -> Float[Tensor, "*b t d"]:
    """Rotate the first 2P dimensions by angles given as cos and sin: `rope` for a table made once per pass.

    Tables are [T, P], or [B, T, P] with a row for each entry of x's first axis. Raises BadShape, UnknownName,
    BadBackend.
    """
    if layout not in LAYOUTS:
        raise UnknownName(f"There is no layout {layout!r}; choose one of {', '.join(LAYOUTS)}.")
    if cos.shape != sin.shape or tuple(cos.shape[:-1]) not in _per_position(x) or 2 * cos.shape[-1] > x.shape[-1]:
        raise BadShape(
            f"cos {list(cos.shape)} and sin {list(sin.shape)} do not fit x {list(x.shape)}: "
            "one row for each position, and at most one column for each pair of dimensions."
        )
    if backend_for(x, backend) == "triton":
        if cos.requires_grad or sin.requires_grad:
            raise BadBackend("The Triton kernel gives angles no gradient; detach them or use backend='torch'.")
        from . import rotary_triton

        return rotary_triton.rotate(x, cos, sin, layout=layout)
    return reference.rotate(x, cos, sin, layout=layout)


def angle_table(
    positions: Int[Tensor, "*b t"] | Float[Tensor, "*b t"],
    dim: int,
    base: float = 10000.0,
    scaling: Float[Tensor, " p"] | None = None,
) -> tuple[Float[Tensor, "*b t p"], Float[Tensor, "*b t p"]]:
    """cos and sin of t * base^(-2j/dim), or of t * scaling[j], each [T, dim/2] or [B, T, dim/2]; t may be
    fractional."""
    return reference.angle_table(positions, dim, base, scaling)


def _per_position(x: Tensor) -> list[tuple[int, ...]]:
    """The shapes of one thing per position: shared, or a row for each entry of the first axis."""
    shared = tuple(x.shape[-2:-1])
    return [shared, (x.shape[0], *shared)] if x.ndim > 2 else [shared]
