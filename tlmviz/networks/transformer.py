"""One decoder language model, assembled from a configuration (000 section 2.1.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..caches import BranchingCache, ContiguousCache, KVCache, LatentCache, LayeredCache, SlidingCache
from ..config import ModelConfig, TransformerConfig
from ..errors import BadShape
from ..layers import (
    BLOCKS,
    CONNECTIONS,
    MLP,
    ALiBi,
    Attention,
    Experts,
    GatedMLP,
    LatentAttention,
    LayerNorm,
    Learned,
    ListOf,
    NoPositions,
    PerLayer,
    Positions,
    PreNormBlock,
    Relative,
    RMSNorm,
    Sinusoidal,
    Softcap,
)
from ..layers.blocks import FeedForward
from ..layers.positions import CosSin
from ..layers.scaling import configured_rope
from ..tracing.trace import AttentionSpec, Tap
from .base import Network
from .initialisation import skipped_initialisation

POSITIONS: dict[str, Callable[[ModelConfig], Positions]] = {
    "learned": lambda c: Learned(c.context, c.d_model),
    "sinusoidal": lambda c: Sinusoidal(c.d_model),
    "rope": lambda c: rope_of(c),
    "alibi": lambda c: ALiBi(c.n_heads),
    "relative": lambda c: Relative(c.n_layers, c.positions.distances, c.head_dim),
    "none": lambda c: NoPositions(),
}
NORMS: dict[str, Callable[[TransformerConfig], nn.Module]] = {
    "layernorm": lambda c: LayerNorm(c.d_model, eps=c.norm.eps),
    "rmsnorm": lambda c: RMSNorm(c.d_model, eps=c.norm.eps),
}
FEEDFORWARDS: dict[str, Callable[[TransformerConfig], MLP | GatedMLP]] = {
    "relu": lambda c: _mlp(c, nn.ReLU()),
    "gelu": lambda c: _mlp(c, nn.GELU()),
    "gelu-tanh": lambda c: _mlp(c, nn.GELU(approximate="tanh")),
    "silu": lambda c: _mlp(c, nn.SiLU()),
    "swiglu": lambda c: _mlp(c, nn.SiLU(), GatedMLP),
    "geglu": lambda c: _mlp(c, nn.GELU(), GatedMLP),
    "geglu-tanh": lambda c: _mlp(c, nn.GELU(approximate="tanh"), GatedMLP),
}


def rope_of(config: ModelConfig) -> Positions:
    """RoPE as a configuration states it: base, layout and scaling, and for each layer its own where they differ."""
    layers = [replace(config.layer(layer), window=None) for layer in range(config.n_layers)]
    distinct = list(dict.fromkeys(layers))
    members = [
        configured_rope(config, own.rope_base or config.positions.rope_base, own.scaled)
        if own.rotary
        else NoPositions()
        for own in distinct
    ]
    return members[0] if len(members) == 1 else PerLayer(members, [distinct.index(own) for own in layers])


def _mlp(config: TransformerConfig, activation: nn.Module, kind: type[MLP] | type[GatedMLP] = MLP) -> MLP | GatedMLP:
    part = config.feedforward
    return kind(config.d_model, part.hidden, activation, part.bias, config.dropout)


def feedforward_of(config: ModelConfig, layer: int) -> FeedForward:
    """A layer's feed-forward part: experts, or one network for all tokens."""
    if config.has_experts(layer):
        return Experts(config.d_model, config.experts, config.dropout)
    return FEEDFORWARDS[config.feedforward.kind](config)


class TransformerLM(Network):
    """A causal language model: token ids in, next-token logits out.

    Weights start as N(0, 0.02), those that write into the residual stream smaller by
    1/sqrt(2L), so that the stream's variance does not grow with depth (GPT-2).
    """

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        self.token_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = POSITIONS[config.positions.kind](config)
        self.drop = nn.Dropout(config.dropout)
        attention = Attention if config.attention.latent_dim is None else LatentAttention
        norm, join = NORMS[config.norm.kind], CONNECTIONS[config.connection.kind]
        self.expand_streams, self.merge_streams = join.expand_streams, join.merge_streams

        def block(layer: int) -> PreNormBlock:
            part = config.connection
            joins = [
                join(config.d_model, part.streams, place, part.iterations, part.bound)
                for place in (2 * layer, 2 * layer + 1)
            ]
            build = BLOCKS[config.norm.placement]
            return build(lambda: norm(config), attention(config, layer), feedforward_of(config, layer), joins)

        self.blocks = ListOf(block(layer) for layer in range(config.n_layers))
        self.norm = norm(config) if config.norm.final else nn.Identity()
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=config.head_bias)
        self.bound = nn.Identity() if config.logit_softcap is None else Softcap(config.logit_softcap)
        self.embed, self.normed, self.logits = Tap(), Tap(), Tap()
        self.apply(initialise)
        self.positions.initialise()
        for block in self.blocks:
            for weight in (block.attn.proj.weight, *block.mlp.writers()):
                nn.init.normal_(weight, std=0.02 / (2 * config.n_layers) ** 0.5)
        if config.tied:
            self.head.weight = self.token_emb.weight
        self.finish()

    def forward(
        self, ids: Int[Tensor, "b t"], cache: KVCache | None = None, positions: Positions | None = None
    ) -> Float[Tensor, "b t v"]:
        """Logits at every given position; with a cache, the ids continue what it holds.

        `positions` stand in for the network's own in this pass: RoPE of another base or none, for instance.
        """
        return self.logits(self.unembed(self.read(ids, cache, positions)))  # [B, T, V]

    def read(
        self, ids: Int[Tensor, "b t"], cache: KVCache | None = None, positions: Positions | None = None
    ) -> Float[Tensor, "b t c"]:
        """The normalised final streams, from which `unembed` makes logits: of a large vocabulary, at few positions."""
        if ids.ndim != 2:
            raise BadShape(f"ids must be [B, T]; got {list(ids.shape)}.")
        ids, positions = ids.to(self.device), positions or self.positions
        position_ids = torch.arange(ids.shape[1]) if cache is None else cache.position_ids(ids.shape[1])
        position_ids = position_ids.to(ids.device)
        x = self.token_emb(ids) * self.config.embedding_scale
        x = self.embed(self.drop(positions.embed(x, position_ids)))  # [B, T, C]
        x = self.expand_streams(x, self.config.connection.streams)  # [B, T, N, C] with hyper-connections
        x = self.run_blocks(x, positions, position_ids, cache=cache)
        return self.normed(self.norm(self.merge_streams(x)))

    def run_blocks(
        self,
        x: Float[Tensor, "b t *n c"],
        positions: Positions,
        position_ids: Int[Tensor, "*r t"],
        first: int = 0,
        cache: KVCache | None = None,
    ) -> Float[Tensor, "b t *n c"]:
        """What block `first` reads, through it and all later ones: what comes before need not be computed again."""
        tables: dict[Positions, CosSin] = {}  # of each kind of positions, made once per pass
        for layer, block in islice(enumerate(self.blocks), first, None):  # a slice would build a ModuleList a pass
            own = positions.at(layer)
            if own not in tables:
                tables[own] = own.cos_sin(position_ids)
            x = block(x, own, tables[own], cache)
        return x

    def unembed(self, normed: Float[Tensor, "*b c"]) -> Float[Tensor, "*b v"]:
        """Logits of normalised final streams: the head, and the bound on its logits where there is one."""
        return self.bound(self.head(normed))

    def new_cache(self, rotated: bool = True) -> BranchingCache:
        """An empty cache of this network's own kind: latent, sliding or contiguous, or each layer's own where windows
        differ.

        Unrotated keys can be read under another RoPE than they were written under.
        """
        config = self.config
        if config.attention.latent_dim is not None:
            return LatentCache(config.n_layers, rotated=rotated)

        def cache(layers: int, window: int | None) -> BranchingCache:
            if window is None:
                return ContiguousCache(layers, rotated=rotated)
            return SlidingCache(layers, window, rotated=rotated)

        windows = [config.layer(layer).window for layer in range(config.n_layers)]
        if len(set(windows)) == 1:
            return cache(config.n_layers, windows[0])
        return LayeredCache([cache(1, window) for window in windows])

    def tied_weights(self) -> frozenset[str]:
        return frozenset(("head.weight",)) if self.config.tied else frozenset()

    def specs(self, positions: Positions | None = None) -> list[AttentionSpec]:
        """Each layer's mask, bias and scale."""
        positions = positions or self.positions
        return [block.attn.spec(positions.at(layer)) for layer, block in enumerate(self.blocks)]


def n_parameters(config: ModelConfig) -> int:
    """Parameters of the network that a configuration describes, counted on it; a tied head counts once."""
    with skipped_initialisation():
        return sum(parameter.numel() for parameter in TransformerLM(config).parameters())


def count_parameters(config: ModelConfig) -> int:
    """Parameters by formula, without building the network: the check that the network is what it should be."""
    return sum(count_by_part(config).values())


def count_by_part(config: ModelConfig) -> dict[str, int]:
    """The same part by part: embedding, positions, attention, feed-forward, norms, connections, head; a tied head is
    0."""
    c, layers = config.d_model, config.n_layers
    norm = {"layernorm": 2 * c, "rmsnorm": c}[config.norm.kind]
    norms = {"sandwich": 4, "parallel-shared": 1}.get(config.norm.placement, 2)
    head = 0 if config.tied else config.vocab_size * c
    relative = layers * config.positions.distances * config.head_dim
    return {
        "embedding": config.vocab_size * c,
        "positions": {"learned": config.context * c, "relative": relative}.get(config.positions.kind, 0),
        "attention": layers * _attention_parameters(config),
        "feed-forward": sum(feedforward_parameters(config, layer) for layer in range(layers)),
        "norms": layers * norms * norm + norm * config.norm.final,
        "connections": layers * 2 * _connection_parameters(config),
        "head": head + config.vocab_size * config.head_bias,
    }


def _attention_parameters(config: ModelConfig) -> int:
    c, d, part = config.d_model, config.head_dim, config.attention
    if part.latent_dim is not None:
        rank, rope, heads = part.latent_dim, part.rope_dim, part.n_heads
        keys_and_values = (rank + rope) * c + rank + heads * (d + config.value_dim) * rank
        return _query_parameters(config) + keys_and_values + heads * config.value_dim * c
    sizes = (part.n_heads * d, config.n_kv_heads * d, config.n_kv_heads * d, c)
    biases = sum(size for size, biased in zip(sizes, part.biases) if biased)
    gains = {"none": 0, "head": 2 * d, "full": sizes[0] + sizes[1]}[part.qk_norm]
    return c * (sum(sizes[:3]) + sizes[0]) + biases + gains


def _query_parameters(config: ModelConfig) -> int:
    """Of latent attention: W_Q, or W_downQ, the gain of c_Q's norm, and W_upQ."""
    part, c = config.attention, config.d_model
    width = part.n_heads * (config.head_dim + part.rope_dim)
    rank = part.query_latent_dim
    return width * c if rank is None else c * rank + rank + rank * width


def feedforward_parameters(config: ModelConfig, layer: int, active: bool = False) -> int:
    """Of a layer's feed-forward part; `active` counts those that one token meets, of which experts leave most out."""
    c, part, experts = config.d_model, config.feedforward, config.experts
    if config.has_experts(layer):
        met = experts.chosen if active else experts.count
        routing = c * experts.count + experts.bias * experts.count
        shared = 3 * c * experts.shared_width + (c if experts.shared_gate and experts.shared_width else 0)
        return routing + 3 * c * experts.hidden * met + shared
    up = 2 * part.hidden if part.gated else part.hidden
    return c * (up + part.hidden) + part.bias * (up + c)


def _connection_parameters(config: ModelConfig) -> int:
    c, n = config.d_model, config.connection.streams
    statics = n + n + n * n + 3
    return {"residual": 0, "hyper": statics + (n + 2) * c, "manifold": statics + n * (n + 2) * n * c}[
        config.connection.kind
    ]


def initialise(module: nn.Module) -> None:
    """Starting weights of one module: N(0, 0.02), biases zero."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)
        bias = getattr(module, "bias", None)
        if bias is not None:
            nn.init.zeros_(bias)
