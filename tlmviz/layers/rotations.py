"""Orthogonal matrices from Gaussian ones."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def orthogonalized(drawn: Float[Tensor, "*b d d"]) -> Float[Tensor, "*b d d"]:
    """The orthogonal Q of drawn = Q R with a positive diagonal of R: for Gaussian entries, every Q is equally likely.

    LAPACK's own signs would not be: they favour a negative diagonal of Q. Source: Mezzadri 2007.
    """
    q, r = torch.linalg.qr(drawn)
    return q * r.diagonal(dim1=-2, dim2=-1).sign()[..., None, :]
