"""The configuration of a pointer-sentinel mixture."""

from __future__ import annotations

from dataclasses import dataclass

from .base import JSONConfig


@dataclass(frozen=True)
class SentinelConfig(JSONConfig):
    """An LSTM over whole words with a softmax over its vocabulary and, if `pointer`, one over the words read so far.

    Words outside of the vocabulary are read as one of `stand_ins` vectors, in order of appearance. `context` is the
    number of words that a text may have. Raises BadConfig when the parts do not fit together.
    """

    name: str
    description: str = ""
    kind: str = "sentinel"
    vocab_size: int = 4000
    stand_ins: int = 8
    d_model: int = 192
    n_layers: int = 2
    context: int = 1024
    dropout: float = 0.0
    pointer: bool = True

    def __post_init__(self) -> None:
        self.check_choices(kind=("sentinel",))
        self.check_types(name=str, description=str, pointer=bool)
        self.check_counts("vocab_size", "stand_ins", "d_model", "n_layers", "context")
        self.check_shares("dropout")
