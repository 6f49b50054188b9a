"""The configuration of a Transformer that translates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tlmviz.errors import BadConfig

from .attention import AttentionConfig
from .feedforward import FeedForwardConfig
from .norm import NormConfig
from .positions import PositionsConfig
from .transformer import TransformerConfig


@dataclass(frozen=True)
class EncoderDecoderConfig(TransformerConfig):
    """A Transformer with an encoder and a decoder (002 section 7): RoPE in self-attention, none between the two.

    Sizes are counts. `context` is the longest source, and target, in tokens. One embedding serves the source,
    the target and the output. `alignment` is the (layer, head) whose cross-attention aligns best; null is the mean of
    all. Raises BadConfig when the parts do not fit together.
    """

    name: str
    description: str = ""
    kind: str = "encoder-decoder"
    vocab_size: int = 7000
    encoder_layers: int = 3
    decoder_layers: int = 3
    d_model: int = 192
    context: int = 128
    dropout: float = 0.0
    alignment: tuple[int, int] | None = None
    attention: AttentionConfig = field(default_factory=AttentionConfig)
    positions: PositionsConfig = field(default_factory=PositionsConfig)
    norm: NormConfig = field(default_factory=NormConfig)
    feedforward: FeedForwardConfig = field(default_factory=FeedForwardConfig)

    def __post_init__(self) -> None:
        self.check_choices(kind=("encoder-decoder",))
        self.check_types(name=str, description=str, **self.PARTS)
        self.check_counts("vocab_size", "encoder_layers", "decoder_layers", "d_model", "context")
        self.check_shares("dropout")
        self._check_parts()
        if self.alignment is not None:
            given, sizes = self.alignment, (self.decoder_layers, self.n_heads)
            pair = isinstance(given, (list, tuple)) and len(given) == 2
            if not pair or not all(type(i) is int and 0 <= i < n for i, n in zip(given, sizes)):
                raise BadConfig(
                    f"alignment is {given}; give a layer and a head below {sizes[0]} and {sizes[1]}, or null."
                )
            object.__setattr__(self, "alignment", tuple(given))  # JSON knows lists only

    def aligned(self, name: str) -> EncoderDecoderConfig:
        """The same with the map of this name, "layer.head" or "mean", as its alignment."""
        layer, _, head = name.partition(".")
        return replace(self, alignment=None if name == "mean" else (int(layer), int(head)))

    def _check_parts(self) -> None:
        attention = self.attention
        self.check_plain("a translation model")
        plain = attention.kv_heads == attention.n_heads and attention.window is None and attention.latent_dim is None
        bare = attention.qk_norm == "none" and attention.softcap is None and not attention.dropout
        if not plain or not bare:
            raise BadConfig(
                "attention of a translation model has as many key/value heads as query heads, and neither a window "
                "nor latents, norms, a softcap or dropout; leave those out."
            )
