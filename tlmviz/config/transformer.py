"""What the configurations of all Transformers share: sizes of heads, and where layers differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tlmviz.errors import BadConfig

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
    "value_dim": ("attention.value_dim",),
    "qk_norm": ("attention.qk_norm",),
    "softcap": ("attention.softcap",),
    "attention_dropout": ("attention.dropout",),
    "rope_base": ("positions.rope_base",),
    "rotary_dim": ("positions.rotary_dim",),
    "relative_distance": ("positions.distances",),
    "norm_place": ("norm.placement",),
    "d_ff": ("feedforward.hidden",),
    "bias": (*(f"attention.{letter}_bias" for letter in "qkvo"), "feedforward.bias"),
    "streams": ("connection.streams",),
    "sinkhorn": ("connection.iterations",),
    "mixing_bound": ("connection.bound",),
}


@dataclass(frozen=True)
class LayerConfig(Checked):
    """What may differ between layers: the window (null: none), RoPE's base (null: the model's), and RoPE itself.

    A layer that is not `rotary` has no positions (SmolLM3), one that is not `scaled` has RoPE without the model's
    scaling (the local layers of Gemma 3).
    """

    PART: ClassVar[str] = "layers"

    window: int | None = None
    rope_base: float | None = None
    rotary: bool = True
    scaled: bool = True

    def __post_init__(self) -> None:
        self.check_optional_counts("window")
        self.check_types(rotary=bool, scaled=bool)
        if self.rope_base is not None:
            self.check_positive("rope_base")


class TransformerConfig(JSONConfig):
    """Numbers that every Transformer's configuration answers at its top; its parts are those of one residual stream
    unless it names others."""

    PARTS: ClassVar[Mapping[str, type[Any]]] = {
        "attention": AttentionConfig,
        "positions": PositionsConfig,
        "norm": NormConfig,
        "feedforward": FeedForwardConfig,
    }
    SHORT: ClassVar[Mapping[str, tuple[str, ...]]] = {
        name: paths for name, paths in SHORT.items() if not paths[0].startswith("connection")
    }

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

    @property
    def value_dim(self) -> int:
        """E, the size of one head's value: D but in latent attention, which may choose another."""
        return self.attention.value_dim or self.head_dim

    @property
    def rotary_dim(self) -> int:
        """How many dimensions of a query RoPE turns: those that latent attention adds for it, else all or the leading
        ones."""
        return self.attention.rope_dim or self.positions.rotary_dim or self.head_dim

    @property
    def one_rope(self) -> bool:
        """Whether RoPE, where there is one, is the same in all layers and turns them."""
        return len({(own.rope_base, own.scaled) for own in self.layers}) <= 1 and all(own.rotary for own in self.layers)

    def check_heads(self) -> None:
        """Heads have an even dimension, which RoPE turns in pairs."""
        if (self.attention.head_dim is None and self.d_model % self.n_heads) or self.head_dim % 2:
            raise BadConfig(
                f"d_model {self.d_model} over n_heads {self.n_heads} leaves no even head dimension, as RoPE needs; "
                "change either."
            )

    def check_plain(self, what: str) -> None:
        """Heads as RoPE needs them, RoPE as it is, norms before each part; `what` has nothing else."""
        self.check_heads()
        positions = self.positions
        if (positions.kind, positions.scaling, positions.rotary_dim) != ("rope", "none", None):
            raise BadConfig(
                f"positions is {positions.kind!r}, scaling {positions.scaling!r}; {what} has rope without scaling, on "
                "all dimensions."
            )
        if self.norm.placement != "pre":
            raise BadConfig(
                f"norm_place is {self.norm.placement!r}; {what} normalises before each part, so choose pre."
            )

    def layer(self, index: int) -> LayerConfig:
        """Window and RoPE of one layer."""
        if not self.layers:
            return LayerConfig(self.attention.window, self.positions.rope_base)
        layer = self.layers[index]
        return layer if layer.rope_base is not None else replace(layer, rope_base=self.positions.rope_base)
