"""The configuration of an encoder-only Transformer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tlmviz.errors import BadConfig

from .attention import AttentionConfig
from .feedforward import FeedForwardConfig
from .norm import NormConfig
from .positions import PositionsConfig
from .transformer import SHORT, TransformerConfig


@dataclass(frozen=True)
class EncoderConfig(TransformerConfig):
    """A Transformer that reads a text from both sides (002 section 7.1; Devlin et al. 2018): RoPE, pre-norm.

    Sizes are counts. The last three entries of the vocabulary are the tokens [CLS], [SEP] and [MASK]. `context` is the
    longest text in tokens, these included. Raises BadConfig when the parts do not fit together.
    """

    PARTS: ClassVar[Mapping[str, type[Any]]] = {
        "attention": AttentionConfig,
        "positions": PositionsConfig,
        "norm": NormConfig,
        "feedforward": FeedForwardConfig,
    }
    SHORT: ClassVar[Mapping[str, tuple[str, ...]]] = {
        name: paths for name, paths in SHORT.items() if not paths[0].startswith("connection")
    }

    name: str
    description: str = ""
    kind: str = "encoder"
    vocab_size: int = 2051
    n_layers: int = 4
    d_model: int = 128
    context: int = 256
    dropout: float = 0.0
    attention: AttentionConfig = field(default_factory=AttentionConfig)
    positions: PositionsConfig = field(default_factory=PositionsConfig)
    norm: NormConfig = field(default_factory=NormConfig)
    feedforward: FeedForwardConfig = field(default_factory=FeedForwardConfig)

    def __post_init__(self) -> None:
        self.check_choices(kind=("encoder",))
        self.check_types(name=str, description=str, **self.PARTS)
        self.check_counts("n_layers", "d_model", "context")
        self.check_counts("vocab_size", least=4)
        self.check_shares("dropout")
        attention, positions = self.attention, self.positions
        if (attention.head_dim is None and self.d_model % self.n_heads) or self.head_dim % 2:
            raise BadConfig(
                f"d_model {self.d_model} over n_heads {self.n_heads} leaves no even head dimension, as RoPE needs; "
                "change either."
            )
        if (positions.kind, positions.scaling, positions.rotary_dim) != ("rope", "none", None):
            raise BadConfig(
                f"positions is {positions.kind!r}, scaling {positions.scaling!r}; an encoder has rope without scaling, "
                "on all dimensions."
            )
        if self.norm.placement != "pre":
            raise BadConfig(
                f"norm_place is {self.norm.placement!r}; an encoder normalises before each part, so choose pre."
            )
        if attention.latent_dim is not None or attention.window is not None:
            raise BadConfig("attention of an encoder has neither latents nor a window; leave those out.")

    @property
    def cls(self) -> int:
        """Id of [CLS], which stands in front of every text."""
        return self.vocab_size - 3

    @property
    def sep(self) -> int:
        """Id of [SEP], which ends a text, and each of two."""
        return self.vocab_size - 2

    @property
    def mask(self) -> int:
        """Id of [MASK], which stands for a hidden token."""
        return self.vocab_size - 1
