"""The configuration of a word-vector model."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.errors import BadConfig

from .base import JSONConfig

WORD_METHODS = ("skipgram", "negative", "cbow", "fasttext", "glove", "hierarchical")


@dataclass(frozen=True)
class WordsConfig(JSONConfig):
    """One vector a word and one a context word (or tree node), and how they were trained.

    `window` words on each side; `negatives` draws per pair from counts^`power`; `subsample` is the threshold t, 0 for
    none; `least` the occurrences that a word of the vocabulary has at least. FastText: n-grams of `shortest` to
    `longest` characters in `buckets` rows. GloVe: weights f(x) = min(1, (x / x_max)^alpha). Raises BadConfig.
    """

    name: str
    method: str
    vocab_size: int
    description: str = ""
    d_model: int = 64
    window: int = 5
    negatives: int = 5
    power: float = 0.75
    subsample: float = 2e-3
    least: int = 10
    buckets: int = 0
    shortest: int = 3
    longest: int = 6
    x_max: float = 100.0
    alpha: float = 0.75
    kind: str = "words"

    def __post_init__(self) -> None:
        self.check_types(name=str, description=str)
        self.check_choices(method=WORD_METHODS)
        self.check_counts("vocab_size", "d_model", "window", "least", "shortest", "longest")
        self.check_counts("negatives", "buckets", least=0)
        self.check_positive("power", "x_max", "alpha")
        self.check_shares("subsample")
        if self.kind != "words":
            raise BadConfig(f"kind is {self.kind!r}; a word-vector model's is 'words'.")
        if self.vocab_size < 2:
            raise BadConfig(f"vocab_size is {self.vocab_size}; give at least 2 words.")
        if self.longest < self.shortest:
            raise BadConfig(f"longest is {self.longest}; n-grams have at least shortest, {self.shortest}, characters.")
        if (self.method == "fasttext") != (self.buckets > 0):
            raise BadConfig(f"buckets is {self.buckets}; FastText needs some, and no other method has any.")
