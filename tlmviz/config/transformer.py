"""What the configurations of all Transformers share: sizes of heads, and where layers differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from .attention import AttentionConfig
from .base import Checked, JSONConfig
from .feedforward import FeedForwardConfig
from .norm import NormConfig
from .positions import PositionsConfig

# Names at the top of a configuration for fields inside its parts.
SHORT: Mapping[str, tuple[str, ...]] = {
    "n_heads": ("attention.n_heads",),
    "n_kv_heads": ("attention.n_kv_heads",),
    "head_dim": ("attention.head_dim",),
    "window": ("attention.window",),
    "latent_dim": ("attention.latent_dim",),
    "rope_dim": ("attention.rope_dim",),
    "query_latent_dim": ("attention.query_latent_dim",),
    "attention_dropout": ("attention.dropout",),
    "rope_base": ("positions.rope_base",),
    "relative_distance": ("positions.distances",),
    "norm_place": ("norm.placement",),
    "d_ff": ("feedforward.hidden",),
    "bias": (*(f"attention.{letter}_bias" for letter in "qkvo"), "feedforward.bias"),
    "streams": ("connection.streams",),
    "sinkhorn": ("connection.iterations",),
}


@dataclass(frozen=True)
class LayerConfig(Checked):
    """What may differ between layers: the window (null: none), and RoPE's base (null: the model's)."""

    PART: ClassVar[str] = "layers"

    window: int | None = None
    rope_base: float | None = None

    def __post_init__(self) -> None:
        self.check_optional_counts("window")
        if self.rope_base is not None:
            self.check_positive("rope_base")


class TransformerConfig(JSONConfig):
    """Numbers that every Transformer's configuration answers at its top."""

    d_model: int
    context: int
    dropout: float
    attention: AttentionConfig
    positions: PositionsConfig
    norm: NormConfig
    feedforward: FeedForwardConfig
    layers: tuple[LayerConfig, ...] = ()

    @property
    def n_heads(self) -> int:
        """H, the number of query heads."""
        return self.attention.n_heads

    @property
    def n_kv_heads(self) -> int:
        """G, the number of key/value heads."""
        return self.attention.kv_heads

    @property
    def head_dim(self) -> int:
        """D, the size of one head's query and key."""
        return self.attention.head_dim or self.d_model // self.attention.n_heads

    def layer(self, index: int) -> LayerConfig:
        """Window and RoPE base of one layer."""
        if not self.layers:
            return LayerConfig(self.attention.window, self.positions.rope_base)
        layer = self.layers[index]
        return layer if layer.rope_base is not None else replace(layer, rope_base=self.positions.rope_base)
