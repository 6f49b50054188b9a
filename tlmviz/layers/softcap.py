"""A bound on logits that is smooth: soft-capping."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn


class Softcap(nn.Module):
    """cap * tanh(x / cap): x where it is small, never beyond +-cap (Gemma 2, section 2)."""

    def __init__(self, cap: float):
        super().__init__()
        self.cap = cap

    def forward(self, x: Float[Tensor, "*b"]) -> Float[Tensor, "*b"]:
        """Each number bounded."""
        return self.cap * (x / self.cap).tanh()
