"""The lightning indexer: a small attention without values that scores which keys deserve the large one.

Letters: H index heads, D their dimension; the rest as in the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from .. import kernels
from ..config import IndexerConfig
from ..errors import BadShape, UnknownName
from .listed import ListOf
from .rotations import orthogonalized

ROTATIONS = ("hadamard", "random")


class Indexer(nn.Module):
    """Index scores of one layer: sum over heads of w * ReLU(q.k), one key per position shared by all heads.

    Reads what the layer's attention reads. As in DeepSeek-V3.2 the key is normalised, RoPE turns part of q and k,
    and w is scaled by 1/sqrt(H D); its query comes from a compressed latent, here from the input itself.
    Source: 000 section 3.5, Eq. 70.
    """

    def __init__(self, config: IndexerConfig):
        super().__init__()
        self.heads, self.head_dim = config.heads, config.head_dim
        self.rope_dim, self.rope_base = config.rope_dim, config.rope_base
        self.q = nn.Linear(config.d_model, self.heads * self.head_dim, bias=False)
        self.k = nn.Linear(config.d_model, self.head_dim, bias=False)
        self.k_norm = nn.LayerNorm(self.head_dim)
        self.w = nn.Linear(config.d_model, self.heads, bias=False)

    def vectors(
        self, x: Float[Tensor, "b t c"], rotation: Float[Tensor, "d d"] | None = None
    ) -> tuple[Float[Tensor, "b h t d"], Float[Tensor, "b t d"], Float[Tensor, "b t h"]]:
        """q, k and w at every position, the positions counted from 0; `rotation` U turns q and k into Uq and Uk."""
        if x.ndim != 3 or x.shape[2] != self.q.in_features:
            raise BadShape(f"x is {list(x.shape)}; this indexer reads [B, T, {self.q.in_features}].")
        q = self.q(x).unflatten(-1, (self.heads, self.head_dim)).transpose(1, 2)  # [B, H, T, D]
        k = F.layer_norm(self.k(x), (self.head_dim,), self.k_norm.weight, self.k_norm.bias)  # [B, T, D]
        table = kernels.angle_table(torch.arange(x.shape[1], device=x.device), self.rope_dim, self.rope_base)
        q, k = kernels.rotate(q, *table), kernels.rotate(k, *table)
        if rotation is not None:
            q, k = q @ rotation.T, k @ rotation.T
        return q, k, self.w(x) * (self.heads * self.head_dim) ** -0.5

    def forward(
        self, x: Float[Tensor, "b t c"], rotation: Float[Tensor, "d d"] | None = None
    ) -> Float[Tensor, "b t t"]:
        """Index scores of every query and key, -inf at later keys."""
        return kernels.index_scores(*self.vectors(x, rotation))


if TYPE_CHECKING:
    _Layers = ListOf[Indexer]
else:
    _Layers = ListOf


class Indexers(_Layers):
    """One indexer for each layer of the teacher."""

    def __init__(self, config: IndexerConfig):
        super().__init__(Indexer(config) for _ in range(config.n_layers))
        self.config = config

    def tied_weights(self) -> frozenset[str]:
        """All of its weights are its own."""
        return frozenset()


def orthogonal(kind: str, dim: int, seed: int = 0) -> Float[Tensor, "d d"]:
    """A fixed orthogonal U: "hadamard" (entries +-1/sqrt(D), D a power of 2) or "random" (from a seeded Gaussian's QR).

    Raises UnknownName and BadShape. Source: 000 section 3.5, Eq. 71; Sylvester's construction.
    """
    if kind not in ROTATIONS:
        raise UnknownName(f"There is no rotation {kind!r}; choose one of {', '.join(ROTATIONS)}.")
    if kind == "hadamard":
        if dim < 1 or dim & (dim - 1):
            raise BadShape(f"A Hadamard matrix of {dim} dimensions cannot be built by doubling; give a power of 2.")
        u = torch.ones(1, 1)
        while len(u) < dim:
            u = torch.cat((torch.cat((u, u), 1), torch.cat((u, -u), 1)))
        return u * dim**-0.5
    drawn = torch.randn(dim, dim, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return orthogonalized(drawn).float()
