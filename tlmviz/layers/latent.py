"""Multi-head latent attention (000 section 3.2 and 3.4, 003 section 6.2; DeepSeek-V2, section 2.1).

Keys and values of all heads are made from one small latent vector per token, c_KV, so that a cache need keep
nothing else. RoPE cannot go between the matrices that are folded below, so it has dimensions of its own: each
query head gets some, and one key k^R per token, made from the hidden state, serves all heads (the notes write it
per head and from c_KV, which would cost the cache what was won).

Queries are made from the hidden state, or, where the configuration has a `query_latent_dim`, from a latent of their
own, c_Q (000 Eq. 65 and 68), the rotary part too. No later token meets a query, so no cache holds c_Q.
Both latents pass an RMSNorm, as in DeepSeek-V2 and V3; the notes have none.
"""

from __future__ import annotations

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from .. import kernels
from ..caches import KVCache, LatentCache
from ..caches.protocol import Rotate
from ..config import ModelConfig
from ..kernels import AttentionMask
from ..tracing.trace import AttentionSpec, Tap
from .norms import RMSNorm
from .positions import CosSin, Positions


class QueryLatent(nn.Module):
    """c_Q = RMSNorm(W_downQ x), the latent that the queries of all heads are made from (000 Eq. 65 and 68)."""

    def __init__(self, d_model: int, rank: int, eps: float):
        super().__init__()
        self.down = nn.Linear(d_model, rank, bias=False)
        self.norm = RMSNorm(rank, eps=eps)
        self.latent = Tap()

    def forward(self, x: Float[Tensor, "*b c"]) -> Float[Tensor, "*b r"]:
        """c_Q of each token, normed: [B, T, R_Q] of [B, T, C]."""
        return self.latent(self.norm(self.down(x)))


class LatentAttention(nn.Module):
    """Queries from the hidden state or from c_Q; keys and values from its latent, R numbers per token, and k^R.

    Without a cache every head's keys [B, H, T, D + D_R] and values [B, H, T, E] are made and attended to, as in
    training. With one, the latents are what is read, as one key and one value head (`LatentCache` keeps them once).
    """

    def __init__(self, config: ModelConfig, layer: int):
        super().__init__()
        assert config.attention.latent_dim is not None  # what a network chooses this class by
        self.layer = layer
        self.heads, self.head_dim = config.n_heads, config.head_dim
        self.rank, self.rope_dim, self.value_dim = (
            config.attention.latent_dim,
            config.attention.rope_dim,
            config.value_dim,
        )
        part, values = config.attention, self.heads * self.value_dim
        self.window, self.softcap = config.layer(layer).window, part.softcap
        self.attention_dropout = part.dropout
        self.scale = (self.head_dim + self.rope_dim) ** -0.5 if part.scale is None else part.scale
        small, eps = part.query_latent_dim, config.norm.eps
        self.query_input = nn.Identity() if small is None else QueryLatent(config.d_model, small, eps)
        self.query = nn.Linear(small or config.d_model, self.heads * (self.head_dim + self.rope_dim), bias=False)
        self.down = nn.Linear(config.d_model, self.rank + self.rope_dim, bias=False)
        self.norm = RMSNorm(self.rank, eps=eps)
        self.up = nn.Linear(self.rank, self.heads * self.head_dim + values, bias=False)
        self.proj = nn.Linear(values, config.d_model, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        self.latent, self.q, self.k, self.v = Tap(), Tap(), Tap(), Tap()
        self.lse, self.z, self.concat, self.out = Tap(), Tap(), Tap(), Tap()

    def spec(self, positions: Positions) -> AttentionSpec:
        """Mask and scale, for recomputing maps."""
        return AttentionSpec(self.scale, AttentionMask(window=self.window, softcap=self.softcap))

    def forward(
        self, x: Float[Tensor, "b t c"], positions: Positions, cos_sin: CosSin, cache: KVCache | None = None
    ) -> Float[Tensor, "b t c"]:
        """What attention adds to each token's vector."""
        q, latent = self.project(x, positions, cos_sin, rotated=cache is None or cache.rotated)
        if cache is None:
            z = self.attend(q, *self.expand(latent), self.spec(positions))
        else:
            z = self._cached(q, latent, cache, positions)
        y = self.concat(rearrange(self.z(z), "b h t d -> b t (h d)"))
        return self.out(self.dropout(self.proj(y)))  # [B, T, C]

    def project(
        self, x: Float[Tensor, "b t c"], positions: Positions, cos_sin: CosSin, rotated: bool = True
    ) -> tuple[Float[Tensor, "b h t d"], Float[Tensor, "b 1 t r"]]:
        """Queries [B, H, T, D + D_R], and what is cached of each token: normed c_KV and k^R, [B, 1, T, R + D_R]."""
        q = rearrange(self.query(self.query_input(x)), "b t (h d) -> b h t d", h=self.heads)
        content, turned = q.split((self.head_dim, self.rope_dim), -1)
        q = torch.cat((content, positions.rotate(turned, cos_sin)), -1)
        c, k_r = self.down(x)[:, None].split((self.rank, self.rope_dim), -1)
        k_r = positions.rotate(k_r, cos_sin) if rotated else k_r
        return q, self.latent(torch.cat((self.norm(c), k_r), -1))

    def expand(self, latent: Float[Tensor, "b 1 t r"]) -> tuple[Float[Tensor, "b h t k"], Float[Tensor, "b h t e"]]:
        """Every head's keys [B, H, T, D + D_R] and values [B, H, T, E] of latents [B, 1, T, R + D_R]."""
        c, k_r = latent.split((self.rank, self.rope_dim), -1)
        k, v = (
            rearrange(part, "b t (h d) -> b h t d", h=self.heads) for part in self.up(c[:, 0]).split(self._widths, -1)
        )
        return torch.cat((k, k_r.expand(-1, self.heads, -1, -1)), -1), v

    @property
    def _widths(self) -> tuple[int, int]:
        """Rows of `up` that make the keys of all heads, and rows that make their values."""
        return self.heads * self.head_dim, self.heads * self.value_dim

    def up_matrices(self) -> tuple[Float[Tensor, "h r d"], Float[Tensor, "h r e"]]:
        """W_upK [H, R, D] and W_upV [H, R, E] of each head: k = c W_upK, v = c W_upV."""
        w_k, w_v = (rearrange(part, "(h d) r -> h r d", h=self.heads) for part in self.up.weight.split(self._widths))
        return w_k, w_v

    def attend(
        self, q: Float[Tensor, "b h t d"], k: Float[Tensor, "b h s d"], v: Float[Tensor, "b h s e"], spec: AttentionSpec
    ) -> Float[Tensor, "b h t e"]:
        """Weighted sum of values."""
        q, k, v = self.q(q), self.k(k), self.v(v)
        if self.training and self.attention_dropout:  # the kernels have no dropout; training alone needs it
            weights = F.dropout(
                kernels.attention_scores(q, k, spec.mask, scale=spec.scale).softmax(-1), self.attention_dropout
            )
            return weights @ v
        z, lse = kernels.attention(q, k, v, spec.mask, scale=spec.scale)
        self.lse(lse)  # [B, H, T]
        return z

    def _cached(self, q: Tensor, latent: Tensor, cache: KVCache, positions: Positions) -> Tensor:
        def rotate(k: Tensor, position_ids: Tensor) -> Tensor:
            c, k_r = k.split((self.rank, self.rope_dim), -1)
            return torch.cat((c, positions.rotate(k_r, positions.cos_sin(position_ids.to(k.device)))), -1)

        if isinstance(cache, LatentCache) and not cache.absorbed:
            return self._expanded(q, latent, cache, positions, rotate)
        spec, (w_k, w_v) = self.spec(positions), self.up_matrices()
        content, turned = q.split((self.head_dim, self.rope_dim), -1)
        q = torch.cat((einsum(content, w_k, "b h t d, h r d -> b h t r"), turned), -1)  # [B, H, T, R + D_R]
        z, lse = cache.attend(self.layer, self.q(q), self.k(latent), self.v(latent[..., : self.rank]), spec, rotate)
        self.lse(lse)
        return einsum(z, w_v, "b h t r, h r d -> b h t d")

    def _expanded(self, q: Tensor, latent: Tensor, cache: LatentCache, positions: Positions, rotate: Rotate) -> Tensor:
        """All latents expanded at every step: what weight absorption saves."""
        latent, _ = cache.append(self.layer, latent, latent[..., : self.rank])
        if not cache.rotated:
            latent = rotate(latent, torch.arange(latent.shape[2]))
        return self.attend(q, *self.expand(latent), self.spec(positions))


def fold(layer: LatentAttention) -> tuple[Float[Tensor, "h e r"], Float[Tensor, "h r c"]]:
    """W_Q W_upK' [H, E, R] and W_upV W_O [H, R, C] of each head, the products of 000 Eq. 41 and 46.

    E is C, or with c_Q its size R_Q: W_Q is then W_upQ. W_downQ stays apart, as c_Q's norm stands between the two.
    """
    w_k, w_v = layer.up_matrices()
    w_q = rearrange(layer.query.weight, "(h d) e -> h e d", h=layer.heads)[..., : layer.head_dim]
    w_o = rearrange(layer.proj.weight, "c (h d) -> h d c", h=layer.heads)
    return w_q @ w_k.transpose(1, 2), w_v @ w_o


def absorbed(
    layer: LatentAttention, x: Float[Tensor, "b t c"], positions: Positions, cos_sin: CosSin
) -> Float[Tensor, "b t c"]:
    """The layer's output on normed states x with the folded matrices: no head's keys or values are ever made."""
    folded_query, folded_out = fold(layer)
    q, latent = layer.project(x, positions, cos_sin)
    content = einsum(layer.query_input(x), folded_query, "b t e, h e r -> b h t r")
    q = torch.cat((content, q[..., layer.head_dim :]), -1)
    spec, values = layer.spec(positions), latent[..., : layer.rank].contiguous()
    z, _ = kernels.attention(q, latent, values, spec.mask, scale=spec.scale)
    return einsum(z, folded_out, "b h t r, h r c -> b t c")
