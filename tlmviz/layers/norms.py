"""Normalisation of each token's vector, through the kernels: torch's modules in all but the call."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn

from .. import kernels


class LayerNorm(nn.LayerNorm):
    """Mean off, divided by the standard deviation, then scaled and shifted (002 section 3.7; Ba et al. 2016)."""

    def forward(self, x: Float[Tensor, "*b c"]) -> Float[Tensor, "*b c"]:
        """Each row of the last axis normalised."""
        return kernels.layer_norm(x, self.weight, self.bias, self.eps)


class RMSNorm(nn.RMSNorm):
    """Divided by the root mean square, then scaled (002 section 4.2; Zhang and Sennrich 2019)."""

    def forward(self, x: Float[Tensor, "*b c"]) -> Float[Tensor, "*b c"]:
        """Each row of the last axis normalised."""
        return kernels.rms_norm(x, self.weight, self.eps)
