"""Doubly stochastic matrices by Sinkhorn-Knopp: the public functions."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadShape

from .backends import backend_for
from .reference import sinkhorn as reference

LARGEST = 16  # rows: a kernel keeps whole matrices in registers


def sinkhorn(
    logits: Float[Tensor, "*b n n"], iterations: int = 20, temperature: float = 1.0, backend: str = "auto"
) -> Float[Tensor, "*b n n"]:
    """exp(logits / temperature) with rows, then columns, scaled to sum 1, `iterations` times over.

    Columns end exact, rows up to what `sinkhorn_errors` measures. Works in the log domain where exp would
    underflow; rows or columns of nothing but -inf stay zero. The backward pass repeats the iterations and
    keeps their sums: 2 * iterations * n numbers per matrix, only while it runs. n is at most 16.
    Raises BadShape and BadBackend.
    Source: 000 section 5.2; Sinkhorn and Knopp 1967. To scale columns first, take sinkhorn(logits.mT).mT.
    """
    _check(logits, iterations, temperature)
    if temperature != 1.0:
        logits = logits / temperature
    if backend_for(logits, backend) == "triton":
        from . import sinkhorn_triton

        return sinkhorn_triton.sinkhorn(logits, iterations)
    return reference.sinkhorn(logits, iterations)


def sinkhorn_iterates(
    logits: Float[Tensor, "*b n n"], iterations: int = 20, temperature: float = 1.0
) -> Float[Tensor, "i *b n n"]:
    """What `sinkhorn` holds after 0, 1, ... iterations: [iterations + 1, ..., n, n], to scrub through.

    The first is exp(logits / temperature) scaled so that its largest entry is 1, which changes nothing after it.
    """
    _check(logits, iterations, temperature)
    return reference.sinkhorn_iterates(logits / temperature, iterations)


def sinkhorn_errors(p: Float[Tensor, "*b n n"]) -> tuple[Float[Tensor, "*b"], Float[Tensor, "*b"]]:
    """Largest distance of a row sum from 1, and of a column sum, for each matrix."""
    _check(p)
    return (p.sum(-1) - 1).abs().amax(-1), (p.sum(-2) - 1).abs().amax(-1)


def _check(logits: Tensor, iterations: int = 1, temperature: float = 1.0) -> None:
    if logits.ndim < 2 or logits.shape[-1] != logits.shape[-2] or not 1 <= logits.shape[-1] <= LARGEST:
        raise BadShape(
            f"logits must be square matrices [..., n, n] with n from 1 to {LARGEST}; got {list(logits.shape)}."
        )
    if not logits.is_floating_point():
        raise BadShape(f"logits must be real numbers; got {logits.dtype}.")
    if iterations < 1:
        raise BadShape(f"iterations is {iterations}; scaling rows and columns takes at least 1.")
    if not temperature > 0:
        raise BadShape(f"temperature is {temperature}; give a number above 0.")
