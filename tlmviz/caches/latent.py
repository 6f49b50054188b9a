"""The cache of latent attention: one latent and one rotated key per token (000 sections 3.2 and 3.4)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from ..tracing.trace import AttentionSpec
from .contiguous import ContiguousCache
from .protocol import Rotate, attend


class LatentCache(ContiguousCache):
    """What latent attention keeps: per token c_KV and the one rotated k^R, and nothing per head (000 sections 3.2 and
    3.4).

    The stored line is its own value: v is the leading part of k. With `absorbed` the layer moves its up-projections
    to the side of the query and the output; without, it makes every head's keys and values anew from all latents.
    """

    def __init__(self, n_layers: int, reserve: int = 64, rotated: bool = True, absorbed: bool = True):
        super().__init__(n_layers, reserve, rotated)
        self.absorbed = absorbed

    def append(
        self, layer: int, k: Float[Tensor, "b g t d"], v: Float[Tensor, "b g t e"]
    ) -> tuple[Float[Tensor, "b g s d"], Float[Tensor, "b g s e"]]:
        (k,) = self._store(layer, (k,))
        return k, k[..., : v.shape[-1]]

    def attend(
        self,
        layer: int,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g t d"],
        v: Float[Tensor, "b g t e"],
        spec: AttentionSpec,
        rotate: Rotate,
    ) -> tuple[Tensor, Tensor]:
        size = v.shape[-1]
        k, _ = self.append(layer, k, v)
        if not self.rotated:
            k = rotate(k, torch.arange(k.shape[2]))
        return attend(q, k, k[..., :size], spec)
