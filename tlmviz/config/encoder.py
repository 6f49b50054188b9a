"""The configuration of an encoder-only Transformer."""

from __future__ import annotations

from dataclasses import dataclass, field

from tlmviz.errors import BadConfig

from .attention import AttentionConfig
from .feedforward import FeedForwardConfig
from .norm import NormConfig
from .positions import PositionsConfig
from .transformer import TransformerConfig


@dataclass(frozen=True)
class EncoderConfig(TransformerConfig):
    """A Transformer that reads a text from both sides (002 section 7.1; Devlin et al. 2018): RoPE, pre-norm.

    Sizes are counts. The last three entries of the vocabulary are the tokens [CLS], [SEP] and [MASK]. `context` is the
    longest text in tokens, these included. Raises BadConfig when the parts do not fit together.
    """

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
        self.check_plain("an encoder")
        if self.attention.latent_dim is not None or self.attention.window is not None:
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
