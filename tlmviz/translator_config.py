"""What a translation model is: two frozen dataclasses, one for the Transformer, one for recurrent networks."""

from __future__ import annotations

from dataclasses import dataclass

from .config import FEEDFORWARDS, NORMS, JSONConfig
from .errors import BadConfig

SCORES = ("dot", "general", "additive")


@dataclass(frozen=True)
class EncoderDecoderConfig(JSONConfig):
    """A Transformer with an encoder and a decoder (002 section 7): RoPE in self-attention, none between the two.

    Sizes are counts. `context` is the longest source, and target, in tokens. One embedding serves the source,
    the target and the output. Raises BadConfig when the parts do not fit together.
    """

    name: str
    description: str = ""
    kind: str = "encoder-decoder"
    vocab_size: int = 7000
    encoder_layers: int = 3
    decoder_layers: int = 3
    d_model: int = 192
    n_heads: int = 6
    d_ff: int = 512
    context: int = 128
    rope_base: float = 10000.0
    norm: str = "rmsnorm"
    feedforward: str = "swiglu"
    bias: bool = False
    alignment: tuple[int, int] | None = None
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self.check_choices(kind=("encoder-decoder",), norm=NORMS, feedforward=FEEDFORWARDS)
        self.check_counts(
            "vocab_size", "encoder_layers", "decoder_layers", "d_model", "n_heads", "d_ff", "context"
        )
        if self.d_model % self.n_heads or self.head_dim % 2:
            raise BadConfig(
                f"d_model {self.d_model} over n_heads {self.n_heads} leaves no even head dimension, as RoPE needs; change either."
            )
        if not 0 < self.rope_base < float("inf"):
            raise BadConfig(f"rope_base is {self.rope_base}; it must be a positive number.")
        self.check_types(name=str, description=str, bias=bool)
        self.check_shares("dropout")
        if self.alignment is not None:
            given, sizes = self.alignment, (self.decoder_layers, self.n_heads)
            pair = isinstance(given, (list, tuple)) and len(given) == 2
            if not pair or not all(type(i) is int and 0 <= i < n for i, n in zip(given, sizes)):
                raise BadConfig(
                    f"alignment is {given}; give a layer and a head below {sizes[0]} and {sizes[1]}, or null."
                )
            object.__setattr__(self, "alignment", tuple(given))  # JSON knows lists only

    @property
    def head_dim(self) -> int:
        """D, the size of one head's query and key."""
        return self.d_model // self.n_heads

    @property
    def n_kv_heads(self) -> int:
        """As many key/value heads as query heads."""
        return self.n_heads

    @property
    def window(self) -> None:
        """No sliding window."""
        return None

    @property
    def attention_dropout(self) -> float:
        """Weights are never dropped."""
        return 0.0


@dataclass(frozen=True)
class Seq2SeqConfig(JSONConfig):
    """A bidirectional GRU that reads and a GRU with attention that writes (004 section 7).

    `score` is how a decoder state h meets an encoder state z: "dot" (h.z), "general" (h W z) or "additive"
    (v.tanh(W1 h + W2 z), and + w c with the `coverage` vector c, the sum of earlier attentions). `hidden` is the size of
    both states, each direction of the encoder giving half. Raises BadConfig when the parts do not fit together.
    """

    name: str
    description: str = ""
    kind: str = "seq2seq"
    vocab_size: int = 7000
    d_model: int = 256
    hidden: int = 384
    score: str = "general"
    coverage: bool = False
    context: int = 128
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self.check_choices(kind=("seq2seq",), score=SCORES)
        self.check_counts("vocab_size", "d_model", "hidden", "context")
        if self.hidden % 2:
            raise BadConfig(
                f"hidden is {self.hidden}; each direction of the encoder gives half, so make it even."
            )
        self.check_types(name=str, description=str, coverage=bool)
        if self.coverage and self.score != "additive":
            raise BadConfig(
                f"coverage joins the additive score (v.tanh(...)); score is {self.score!r}, choose additive."
            )
        self.check_shares("dropout")


TranslatorConfig = EncoderDecoderConfig | Seq2SeqConfig
CONFIGS: dict[str, type[TranslatorConfig]] = {
    "encoder-decoder": EncoderDecoderConfig,
    "seq2seq": Seq2SeqConfig,
}
