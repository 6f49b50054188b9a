"""The configuration of a decoder-only language model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tlmviz.errors import BadConfig

from .attention import AttentionConfig
from .connection import ConnectionConfig
from .feedforward import ExpertsConfig, FeedForwardConfig
from .norm import NormConfig
from .positions import PositionsConfig
from .transformer import SHORT, LayerConfig, TransformerConfig


@dataclass(frozen=True)
class ModelConfig(TransformerConfig):
    """A decoder-only language model, part by part.

    Sizes are counts; `dropout` is a probability used in training only. With `bos` texts begin with the end-of-text
    token. `embedding_scale` multiplies the embedding, a `tied` head reads it without. `head_bias` gives the head a bias
    per token, and `logit_softcap` bounds a logit z to softcap * tanh(z / softcap); null: no bound. `layers` says what
    differs from layer to layer, an entry each; empty where all are alike. Raises BadConfig when the parts do not fit
    together.
    """

    PARTS: ClassVar[Mapping[str, type[Any]]] = {
        "attention": AttentionConfig,
        "positions": PositionsConfig,
        "norm": NormConfig,
        "feedforward": FeedForwardConfig,
        "experts": ExpertsConfig,
        "connection": ConnectionConfig,
    }
    SHORT: ClassVar[Mapping[str, tuple[str, ...]]] = SHORT

    name: str
    description: str = ""
    vocab_size: int = 2048
    n_layers: int = 4
    d_model: int = 192
    context: int = 512
    tied: bool = True
    bos: bool = True
    dropout: float = 0.0
    embedding_scale: float = 1.0
    head_bias: bool = False
    logit_softcap: float | None = None
    attention: AttentionConfig = field(default_factory=AttentionConfig)
    positions: PositionsConfig = field(default_factory=PositionsConfig)
    norm: NormConfig = field(default_factory=NormConfig)
    feedforward: FeedForwardConfig = field(default_factory=FeedForwardConfig)
    experts: ExpertsConfig = field(default_factory=ExpertsConfig)
    connection: ConnectionConfig = field(default_factory=ConnectionConfig)
    layers: tuple[LayerConfig, ...] = ()

    def __post_init__(self) -> None:
        self.check_types(name=str, description=str, tied=bool, bos=bool, head_bias=bool, **self.PARTS)
        self.check_counts("vocab_size", "n_layers", "d_model", "context")
        self.check_shares("dropout")
        self.check_positive("embedding_scale")
        if self.logit_softcap is not None:
            self.check_positive("logit_softcap")
        self._check_heads()
        self._check_latent()
        if self.connection.kind != "residual" and self.norm.placement != "pre":
            raise BadConfig(
                f"norm_place is {self.norm.placement!r}; {self.connection.kind} connections go with norm_place pre."
            )
        self._check_layers()
        beyond = [layer for layer in self.experts.dense_layers if layer >= self.n_layers]
        if beyond:
            raise BadConfig(
                f"experts.dense_layers names layer {beyond[0]}; this model has layers 0 to {self.n_layers - 1}."
            )

    def has_experts(self, layer: int) -> bool:
        """Whether a layer's feed-forward part is experts."""
        return self.experts.count > 0 and layer not in self.experts.dense_layers

    def _check_heads(self) -> None:
        attention = self.attention
        if attention.head_dim is None and self.d_model % attention.n_heads:
            raise BadConfig(
                f"d_model {self.d_model} is not a multiple of n_heads {attention.n_heads}; change either, or give "
                "head_dim."
            )
        if attention.latent_dim is None and self.positions.kind == "rope":
            self._check_rotary()

    def _check_rotary(self) -> None:
        own = self.positions.rotary_dim
        if own is None and self.head_dim % 2:
            raise BadConfig(f"RoPE rotates pairs, but the head dimension is {self.head_dim}; make it even.")
        if own is not None and (own % 2 or own > self.head_dim):
            raise BadConfig(
                f"rotary_dim is {own}; RoPE rotates pairs, so give an even number up to the head dimension, "
                f"{self.head_dim}."
            )

    def _check_latent(self) -> None:
        if self.attention.latent_dim is None:
            return
        kind, rope_dim = self.positions.kind, self.attention.rope_dim
        if kind not in ("rope", "none"):
            raise BadConfig(f"positions is {kind!r}; latent attention knows rope (decoupled) and none.")
        if (kind == "rope") != bool(rope_dim):
            raise BadConfig(
                f"rope_dim is {rope_dim}; decoupled RoPE rotates pairs, so give an even number, and 0 without RoPE."
            )
        if self.positions.rotary_dim is not None:
            raise BadConfig(
                f"rotary_dim is {self.positions.rotary_dim}; latent attention turns rope_dim dimensions, so make it "
                "null."
            )

    def _check_layers(self) -> None:
        entries = self.layers if isinstance(self.layers, (list, tuple)) else [self.layers]
        try:
            layers = tuple(layer if isinstance(layer, LayerConfig) else LayerConfig(**layer) for layer in entries)
        except TypeError as error:
            raise BadConfig(
                f"layers must hold an object with window, rope_base, rotary and scaled for each layer ({error})."
            ) from error
        if layers and len(layers) != self.n_layers:
            raise BadConfig(
                f"layers has {len(layers)} entries and n_layers is {self.n_layers}; give one each, or none."
            )
        if layers and self.attention.window is not None:
            raise BadConfig("attention.window is set and so are layers; with layers, give each its own window there.")
        if self.positions.kind != "rope" and any(not (own.rotary and own.scaled) for own in layers):
            raise BadConfig(
                f"layers says which of them RoPE turns, and positions is {self.positions.kind!r}; choose rope, or "
                "leave it out."
            )
        object.__setattr__(self, "layers", layers)


def without_connections(config: ModelConfig) -> ModelConfig:
    """The same with plain residuals and no name: equal for models that differ in nothing but their connections."""
    return config.with_(name="", description="", connection=ConnectionConfig())


def with_plain_attention(config: ModelConfig) -> ModelConfig:
    """The same with a key/value head per query head, no latents, no window and no name: equal for models that differ in
    nothing but what they cache."""
    return config.with_(
        name="",
        description="",
        n_kv_heads=config.n_heads,
        latent_dim=None,
        rope_dim=0,
        query_latent_dim=None,
        value_dim=None,
        window=None,
        layers=(),
    )


def notes_preset(name: str = "notes", **sizes: Any) -> ModelConfig:
    """The `TransformerLM` of the notes (000 section 2.1), exactly.

    Learned positions, pre-LayerNorm, GELU, full multi-head attention, biases everywhere
    but in the untied head. `sizes` sets vocabulary, depth, widths, context and dropout.
    """
    return ModelConfig.of(
        name, **sizes, positions="learned", norm="layernorm", feedforward="gelu", bias=True, tied=False
    )
