"""Which precision a trained network is stored in: half where it costs next to nothing."""

from __future__ import annotations

from collections.abc import Callable

import torch

LOSS_MARGIN = 0.001  # nats per token that half precision may cost


@torch.no_grad()
def stored_dtype(
    network: torch.nn.Module, measure: Callable[[], float], margin: float = LOSS_MARGIN
) -> tuple[torch.dtype, float, float]:
    """Round the network to the first of float16, bfloat16 and float32 that moves `measure()` by less than `margin`.

    Returns that type, and what was measured before and after rounding, in the unit of the margin. The parameters are
    changed in place and stay float32.
    """
    full = measure()
    exact = {name: p.clone() for name, p in network.named_parameters()}
    for half in (torch.float16, torch.bfloat16):
        for name, p in network.named_parameters():
            p.copy_(exact[name].to(half))
        rounded = measure()
        if abs(rounded - full) < margin:
            return half, full, rounded
    for name, p in network.named_parameters():
        p.copy_(exact[name])
    return torch.float32, full, full
