"""Operations on rows, the last axis of a tensor: softmax and the two norms. The public functions."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadShape

from .backends import backend_for
from .reference import norms as reference


def softmax(x: Float[Tensor, "*b n"], backend: str = "auto") -> Float[Tensor, "*b n"]:
    """exp(x) divided by its sum over the last axis; a row of nothing but -inf gives zeros.

    Rows of any length; sums in float32 (float64 for float64). Raises BadShape and BadBackend.
    Source: 000 section 4.1, and 4.2 for the online pass over long rows.
    """
    _check(x)
    if backend_for(x, backend) == "triton":
        from . import norms_triton

        return norms_triton.softmax(x)
    return reference.softmax(x)


def rms_norm(
    x: Float[Tensor, "*b n"], weight: Float[Tensor, " n"] | None = None, eps: float = 1e-5, backend: str = "auto"
) -> Float[Tensor, "*b n"]:
    """x / sqrt(mean(x^2) + eps) over the last axis, times `weight`.

    Raises BadShape and BadBackend. Source: 002 section 4.2; Zhang and Sennrich 2019.
    """
    _check(x, weight)
    if backend_for(x, backend) == "triton":
        from . import norms_triton

        return norms_triton.rms_norm(x, weight, eps)
    return reference.rms_norm(x, weight, eps)


def layer_norm(
    x: Float[Tensor, "*b n"],
    weight: Float[Tensor, " n"] | None = None,
    bias: Float[Tensor, " n"] | None = None,
    eps: float = 1e-5,
    backend: str = "auto",
) -> Float[Tensor, "*b n"]:
    """(x - mean) / sqrt(variance + eps) over the last axis, times `weight`, plus `bias`; the variance divides by n.

    Raises BadShape and BadBackend. Source: 002 section 3.7; Ba et al. 2016.
    """
    _check(x, weight, bias)
    if backend_for(x, backend) == "triton":
        from . import norms_triton

        return norms_triton.layer_norm(x, weight, bias, eps)
    return reference.layer_norm(x, weight, bias, eps)


def _check(x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None) -> None:
    if x.ndim == 0 or not x.is_floating_point():
        raise BadShape(f"x must be a tensor of rows of real numbers; it is {x.dtype} of shape {list(x.shape)}.")
    columns = x.shape[-1:]
    if weight is not None and weight.shape != columns:
        raise BadShape(f"weight {list(weight.shape)} must hold one number per column of x {list(x.shape)}.")
    if bias is not None and bias.shape != columns:
        raise BadShape(f"bias {list(bias.shape)} must hold one number per column of x {list(x.shape)}.")
