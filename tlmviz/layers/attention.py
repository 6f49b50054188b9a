"""Self-attention with any number of key/value heads (000 section 2.1.1, 003 section 6.1), and attention to another
text."""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from .. import kernels
from ..caches import KVCache
from ..config import TransformerConfig
from ..kernels import AttentionMask
from ..tracing.trace import AttentionSpec, Tap
from .fused import fused_linear
from .norms import QK_NORMS
from .positions import CosSin, Positions


class Attention(nn.Module):
    """Multi-head (G = H), grouped-query (1 < G < H) or multi-query (G = 1) attention.

    One fused projection makes queries, keys and values, as in the notes. An encoder's is not causal.
    """

    def __init__(self, config: TransformerConfig, layer: int, causal: bool = True):
        super().__init__()
        self.layer, self.causal = layer, causal
        self.heads, self.groups, self.head_dim = config.n_heads, config.n_kv_heads, config.head_dim
        part = config.attention
        self.window, self.softcap = config.layer(layer).window, part.softcap
        self.attention_dropout = part.dropout
        self.scale = self.head_dim**-0.5 if part.scale is None else part.scale
        sizes = [heads * self.head_dim for heads in (self.heads, self.groups, self.groups)]
        self.qkv = fused_linear(config.d_model, sizes, part.biases[:3])
        self.qk_norm = QK_NORMS[part.qk_norm](config)
        self.proj = nn.Linear(self.heads * self.head_dim, config.d_model, bias=part.o_bias)
        self.dropout = nn.Dropout(config.dropout)
        self.fused, self.q, self.k, self.v = Tap(), Tap(), Tap(), Tap()
        self.lse, self.z, self.concat, self.out = Tap(), Tap(), Tap(), Tap()

    def spec(self, positions: Positions) -> AttentionSpec:
        """Mask, bias and scale, for recomputing maps."""
        relative = positions.relative(self.layer)
        relative = None if relative is None else relative * self.scale
        mask = AttentionMask(self.causal, self.window, positions.slopes, relative, softcap=self.softcap)
        return AttentionSpec(self.scale, mask)

    def forward(
        self, x: Float[Tensor, "b t c"], positions: Positions, cos_sin: CosSin, cache: KVCache | None = None
    ) -> Float[Tensor, "b t c"]:
        """What attention adds to each token's vector."""
        fused = self.fused(self.qkv(x))  # [B, T, (H + 2G) D]
        split = fused.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)  # [B, H + 2G, T, D]
        q, k, v = split.split((self.heads, self.groups, self.groups), dim=1)  # [B, H, T, D], [B, G, T, D] twice
        q, k = self.qk_norm(q, k)
        q, v = self.q(positions.rotate(q, cos_sin)), self.v(v)
        k = self.k(positions.rotate(k, cos_sin) if cache is None or cache.rotated else k)
        z = self.z(self.attend(q, k, v, positions, cache))  # [B, H, T, D]
        y = self.concat(z.transpose(1, 2).flatten(2))  # [B, T, H D]; einops costs as much as a decode step's attention
        return self.out(self.dropout(self.proj(y)))  # [B, T, C]

    def attend(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g t d"],
        v: Float[Tensor, "b g t d"],
        positions: Positions,
        cache: KVCache | None,
    ) -> Float[Tensor, "b h t d"]:
        """Weighted sum of values."""
        spec = self.spec(positions)
        if self.training and self.attention_dropout:  # the kernels have no dropout; training alone needs it
            weights = F.dropout(
                kernels.attention_scores(q, k, spec.mask, scale=spec.scale).softmax(-1), self.attention_dropout
            )
            return weights @ v.repeat_interleave(self.heads // self.groups, 1)
        if cache is None:
            z, lse = kernels.attention(q, k, v, spec.mask, scale=spec.scale)
        else:
            z, lse = cache.attend(
                self.layer,
                q,
                k,
                v,
                spec,
                lambda k, position_ids: positions.rotate(k, positions.cos_sin(position_ids.to(k.device))),
            )
        self.lse(lse)  # [B, H, T]
        return z


class CrossAttention(nn.Module):
    """Queries from the text being written, keys and values from the text that was read (000 section 2.2, 002 section
    7).

    `rotary`, where it is set, turns queries by their place t and keys by theirs, u, so that scores see the distance t -
    u.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        part, width = config.attention, config.n_heads * config.head_dim
        self.head_dim, self.rotary = config.head_dim, None
        self.scale = self.head_dim**-0.5 if part.scale is None else part.scale
        self.query = nn.Linear(config.d_model, width, bias=part.q_bias)
        self.kv = fused_linear(config.d_model, [width, width], (part.k_bias, part.v_bias))
        self.proj = nn.Linear(width, config.d_model, bias=part.o_bias)
        self.dropout = nn.Dropout(config.dropout)
        self.q, self.k, self.v = Tap(), Tap(), Tap()
        self.lse, self.z, self.out = Tap(), Tap(), Tap()

    def spec(self) -> AttentionSpec:
        """No mask and no bias: every source token is seen, by its content (and, with `rotary`, its place)."""
        return AttentionSpec(self.scale, AttentionMask(causal=False))

    def keys_values(self, memory: Float[Tensor, "b s c"]) -> tuple[Tensor, Tensor]:
        """Keys and values [B, H, S, D] of what the encoder made: once per source, whatever is written."""
        k, v = rearrange(self.kv(memory), "b s (two h d) -> two b h s d", two=2, d=self.head_dim)
        cos_sin = self.rotary and self.rotary.cos_sin(torch.arange(k.shape[2], device=k.device))
        return self.k(self.turned(k, cos_sin)), self.v(v)

    def turned(self, x: Float[Tensor, "b h n d"], cos_sin: CosSin) -> Float[Tensor, "b h n d"]:
        """Queries or keys, rotated where positions count here."""
        return self.rotary.rotate(x, cos_sin) if self.rotary else x

    def forward(
        self,
        x: Float[Tensor, "b t c"],
        k: Float[Tensor, "#b h s d"],
        v: Float[Tensor, "#b h s d"],
        cos_sin: CosSin = None,
    ) -> Float[Tensor, "b t c"]:
        """What attention to a source adds; one source may serve all rows."""
        q = self.q(self.turned(rearrange(self.query(x), "b t (h d) -> b h t d", d=self.head_dim), cos_sin))
        shared = len(k) == 1 < len(q) and q.shape[2] == 1
        # Without a mask, queries of several texts are no different from several queries of one text.
        spec = self.spec()
        z, lse = kernels.attention(q.transpose(0, 2) if shared else q, k, v, spec.mask, scale=spec.scale)
        z, lse = (z.transpose(0, 2), lse.permute(2, 1, 0)) if shared else (z, lse)  # [B, H, T, D], [B, H, T]
        self.lse(lse)
        return self.out(self.dropout(self.proj(rearrange(self.z(z), "b h t d -> b t (h d)"))))  # [B, T, C]
