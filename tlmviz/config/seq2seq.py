"""The configuration of a recurrent network that translates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tlmviz.errors import BadConfig

from .base import Checked, JSONConfig

SCORES = ("dot", "general", "additive")


@dataclass(frozen=True)
class ScoreConfig(Checked):
    """How a decoder state h meets an encoder state z (004 section 7).

    "dot" is h.z, "general" h W z, "additive" v.tanh(W1 h + W2 z), and + w c inside with the `coverage` vector c, the
    sum of earlier attentions.
    """

    PART: ClassVar[str] = "score"

    kind: str = "general"
    coverage: bool = False

    def __post_init__(self) -> None:
        self.check_choices(kind=SCORES)
        self.check_types(coverage=bool)
        if self.coverage and self.kind != "additive":
            raise BadConfig(
                f"coverage joins the additive score (v.tanh(...)); score is {self.kind!r}, choose additive."
            )


@dataclass(frozen=True)
class Seq2SeqConfig(JSONConfig):
    """A bidirectional GRU that reads and a GRU with attention that writes (004 section 7).

    `hidden` is the size of both states, each direction of the encoder giving half. With a `pointer` it writes from its
    vocabulary or copies what it looks at in the source (section 7.2). Raises BadConfig when the parts do not fit
    together.
    """

    PARTS: ClassVar[Mapping[str, type[Any]]] = {"score": ScoreConfig}
    SHORT: ClassVar[Mapping[str, tuple[str, ...]]] = {"coverage": ("score.coverage",)}

    name: str
    description: str = ""
    kind: str = "seq2seq"
    vocab_size: int = 7000
    d_model: int = 256
    hidden: int = 384
    context: int = 128
    dropout: float = 0.0
    score: ScoreConfig = field(default_factory=ScoreConfig)
    pointer: bool = False

    def __post_init__(self) -> None:
        self.check_choices(kind=("seq2seq",))
        self.check_types(name=str, description=str, score=ScoreConfig, pointer=bool)
        self.check_counts("vocab_size", "d_model", "hidden", "context")
        if self.hidden % 2:
            raise BadConfig(f"hidden is {self.hidden}; each direction of the encoder gives half, so make it even.")
        self.check_shares("dropout")

    def aligned(self, name: str) -> Seq2SeqConfig:
        """The same: its one map is the alignment."""
        return self
