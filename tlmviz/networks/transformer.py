"""One decoder language model, assembled from a configuration (000 section 2.1.4)."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..caches import ContiguousCache, KVCache, LatentCache, SlidingCache
from ..config import ModelConfig
from ..errors import BadShape
from ..layers import (
    CONNECTIONS,
    MLP,
    ALiBi,
    Attention,
    LatentAttention,
    LayerNorm,
    Learned,
    NoPositions,
    Positions,
    PostNormBlock,
    PreNormBlock,
    Relative,
    RMSNorm,
    RoPE,
    Sinusoidal,
    SwiGLU,
)
from ..trace import AttentionSpec, Tap, name_taps

POSITIONS = {
    "learned": lambda c: Learned(c.context, c.d_model),
    "sinusoidal": lambda c: Sinusoidal(c.d_model),
    "rope": lambda c: RoPE(c.rope_dim or c.head_dim, c.rope_base),
    "alibi": lambda c: ALiBi(c.n_heads),
    "relative": lambda c: Relative(c.n_layers, c.relative_distance, c.head_dim),
    "none": lambda c: NoPositions(),
}
NORMS = {
    "layernorm": lambda c: LayerNorm(c.d_model),
    "rmsnorm": lambda c: RMSNorm(c.d_model, eps=1e-5),
}
FEEDFORWARDS = {
    "relu": lambda c: MLP(c.d_model, c.d_ff, nn.ReLU(), c.bias, c.dropout),
    "gelu": lambda c: MLP(c.d_model, c.d_ff, nn.GELU(), c.bias, c.dropout),
    "swiglu": lambda c: SwiGLU(c.d_model, c.d_ff, c.bias, c.dropout),
}


class TransformerLM(nn.Module):
    """A causal language model: token ids in, next-token logits out.

    Weights start as N(0, 0.02), those that write into the residual stream smaller by
    1/sqrt(2L), so that the stream's variance does not grow with depth (GPT-2).
    """

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        self.token_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = POSITIONS[config.positions](config)
        self.drop = nn.Dropout(config.dropout)
        attention = Attention if config.latent_dim is None else LatentAttention
        norm, feedforward, join = (
            NORMS[config.norm],
            FEEDFORWARDS[config.feedforward],
            CONNECTIONS[config.connection],
        )
        self.expand_streams, self.merge_streams = join.expand_streams, join.merge_streams

        def block(layer: int) -> PreNormBlock:
            parts = norm(config), attention(config, layer), norm(config), feedforward(config)
            if config.norm_place == "post":
                return PostNormBlock(*parts)
            joins = (
                join(config.d_model, config.streams, place, config.sinkhorn)
                for place in (2 * layer, 2 * layer + 1)
            )
            return PreNormBlock(*parts, *joins)

        self.blocks = nn.ModuleList(block(layer) for layer in range(config.n_layers))
        # After post-norm blocks the stream is normalised already.
        self.norm = norm(config) if config.norm_place == "pre" else nn.Identity()
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.embed, self.normed, self.logits = Tap(), Tap(), Tap()
        self.apply(initialise)
        self.positions.initialise()
        for block in self.blocks:
            for writer in (block.attn.proj, block.mlp.down):
                nn.init.normal_(writer.weight, std=0.02 / (2 * config.n_layers) ** 0.5)
        if config.tied:
            self.head.weight = self.token_emb.weight
        self._tap_names = frozenset(m.name for m in name_taps(self).modules() if isinstance(m, Tap))

    def forward(
        self, ids: Int[Tensor, "b t"], cache: KVCache | None = None, positions: Positions | None = None
    ) -> Float[Tensor, "b t v"]:
        """Logits at every given position; with a cache, the ids continue what it holds.

        `positions` stand in for the network's own in this pass: RoPE of another base or none, for instance.
        """
        if ids.ndim != 2:
            raise BadShape(f"ids must be [B, T]; got {list(ids.shape)}.")
        positions = positions or self.positions
        position_ids = (torch.arange(ids.shape[1]) if cache is None else cache.position_ids(ids.shape[1])).to(
            ids.device
        )
        x = self.embed(self.drop(positions.embed(self.token_emb(ids), position_ids)))  # [B, T, C]
        cos_sin = positions.cos_sin(position_ids)
        x = self.expand_streams(x, self.config.streams)  # [B, T, C], or [B, T, N, C] with hyper-connections
        for block in self.blocks:
            x = block(x, positions, cos_sin, cache)
        return self.logits(self.head(self.normed(self.norm(self.merge_streams(x)))))  # [B, T, V]

    def new_cache(self, rotated: bool = True) -> KVCache:
        """An empty cache of this network's own kind: latent, sliding or contiguous.

        Unrotated keys can be read under another RoPE than they were written under.
        """
        config = self.config
        if config.latent_dim is not None:
            return LatentCache(config.n_layers, rotated=rotated)
        if config.window is not None:
            return SlidingCache(config.n_layers, config.window, rotated=rotated)
        return ContiguousCache(config.n_layers, rotated=rotated)

    def specs(self, positions: Positions | None = None) -> list[AttentionSpec]:
        """Each layer's mask, bias and scale."""
        return [block.attn.spec(positions or self.positions) for block in self.blocks]

    def tap_names(self) -> frozenset[str]:
        """Names of all tapped tensors."""
        return self._tap_names


def count_parameters(config: ModelConfig) -> int:
    """Parameters by formula (002 section 8), without building the network."""
    c, f, width = config.d_model, config.d_ff, (config.n_heads + 2 * config.n_kv_heads) * config.head_dim
    bias = int(config.bias)
    norm = {"layernorm": 2 * c, "rmsnorm": c}[config.norm]
    attention = c * width + c * c + bias * (width + c)
    if config.latent_dim is not None:
        rank, rope, heads = config.latent_dim, config.rope_dim, config.n_heads
        attention = heads * (config.head_dim + rope) * c + (rank + rope) * c + rank + 2 * c * rank + c * c
    feedforward = (
        3 * c * f + bias * (2 * f + c) if config.feedforward == "swiglu" else 2 * c * f + bias * (f + c)
    )
    n = config.streams
    statics = n + n + n * n + 3
    join = {"residual": 0, "hyper": statics + (n + 2) * c, "manifold": statics + n * (n + 2) * n * c}[
        config.connection
    ]
    block = attention + feedforward + 2 * norm + 2 * join
    embeddings = config.vocab_size * c * (1 if config.tied else 2)
    relative = config.n_layers * config.relative_distance * config.head_dim
    positions = {"learned": config.context * c, "relative": relative}.get(config.positions, 0)
    return embeddings + positions + config.n_layers * block + (norm if config.norm_place == "pre" else 0)


def initialise(module: nn.Module) -> None:
    """Starting weights of one module: N(0, 0.02), biases zero."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)
        if getattr(module, "bias", None) is not None:
            nn.init.zeros_(module.bias)
