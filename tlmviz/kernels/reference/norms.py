"""Softmax and norms over the last axis in torch. Arguments are checked by the public functions."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def softmax(x: Tensor) -> Tensor:
    """See `kernels.softmax`."""
    p = torch.softmax(x, -1)
    # A dead row turns wholly into NaN, so one column tells; finding the rows first would cost a pass over x.
    if p.numel() and p.detach()[..., 0].isnan().any():
        dead = (x == -torch.inf).all(-1, keepdim=True)
        # Filled before the softmax as well: the gradient of NaN times zero would be NaN.
        p = torch.softmax(x.masked_fill(dead, 0), -1).masked_fill(dead, 0)
    return p


def rms_norm(x: Tensor, weight: Tensor | None, eps: float) -> Tensor:
    """See `kernels.rms_norm`."""
    return F.rms_norm(x, x.shape[-1:], weight, eps)


def layer_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """See `kernels.layer_norm`."""
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)
