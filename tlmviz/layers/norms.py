"""Normalisation of each token's vector, through the kernels: torch's modules in all but the call."""

from __future__ import annotations

from collections.abc import Callable

from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from .. import kernels
from ..config import TransformerConfig


class LayerNorm(nn.LayerNorm):
    """Mean off, divided by the standard deviation, then scaled and shifted (002 section 3.7; Ba et al. 2016)."""

    def forward(self, x: Float[Tensor, "*b c"]) -> Float[Tensor, "*b c"]:
        """Each row of the last axis normalised."""
        return kernels.layer_norm(x, self.weight, self.bias, self.eps)


class RMSNorm(nn.RMSNorm):
    """Divided by the root mean square, then scaled (002 section 4.2; Zhang and Sennrich 2019)."""

    eps: float  # torch's may be None

    def forward(self, x: Float[Tensor, "*b c"]) -> Float[Tensor, "*b c"]:
        """Each row of the last axis normalised."""
        return kernels.rms_norm(x, self.weight, self.eps)


class NoQKNorm(nn.Module):
    """Queries and keys as they are."""

    def forward(
        self, q: Float[Tensor, "b h t d"], k: Float[Tensor, "b g t d"]
    ) -> tuple[Float[Tensor, "b h t d"], Float[Tensor, "b g t d"]]:
        """q and k."""
        return q, k


class HeadQKNorm(nn.Module):
    """An RMSNorm over each head's query and key, one gain for all heads: it bounds a score by its gains (Qwen3, Gemma
    3)."""

    def __init__(self, heads: int, groups: int, head_dim: int, eps: float):
        super().__init__()
        self.q, self.k = RMSNorm(head_dim, eps=eps), RMSNorm(head_dim, eps=eps)

    def forward(
        self, q: Float[Tensor, "b h t d"], k: Float[Tensor, "b g t d"]
    ) -> tuple[Float[Tensor, "b h t d"], Float[Tensor, "b g t d"]]:
        """Each head normalised."""
        return self.q(q), self.k(k)


class FullQKNorm(nn.Module):
    """An RMSNorm over the queries of all heads together, and one over all keys (OLMo 2, section 3.3)."""

    def __init__(self, heads: int, groups: int, head_dim: int, eps: float):
        super().__init__()
        self.q, self.k = RMSNorm(heads * head_dim, eps=eps), RMSNorm(groups * head_dim, eps=eps)

    def forward(
        self, q: Float[Tensor, "b h t d"], k: Float[Tensor, "b g t d"]
    ) -> tuple[Float[Tensor, "b h t d"], Float[Tensor, "b g t d"]]:
        """All heads normalised together."""
        return _together(self.q, q), _together(self.k, k)


def _together(norm: nn.Module, x: Tensor) -> Tensor:
    whole = norm(rearrange(x, "b h t d -> b t (h d)"))
    return rearrange(whole, "b t (h d) -> b h t d", h=x.shape[1])


# `AttentionConfig.qk_norm` -> the norms of queries and keys.
QK_NORMS: dict[str, Callable[[TransformerConfig], nn.Module]] = {
    "none": lambda c: NoQKNorm(),
    "head": lambda c: HeadQKNorm(c.n_heads, c.n_kv_heads, c.head_dim, c.norm.eps),
    "full": lambda c: FullQKNorm(c.n_heads, c.n_kv_heads, c.head_dim, c.norm.eps),
}
