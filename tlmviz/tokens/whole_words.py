"""Text to whole words and marks: a vocabulary of the words seen often enough, and the names of those that were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Regex, models, normalizers, pre_tokenizers
from tokenizers import Tokenizer as HFTokenizer

from ..errors import BadCheckpoint
from . import growth
from .tokenizer import END, read_json

UNKNOWN = "⟨unknown⟩"
# A word, an ending behind an apostrophe ("Lily" and "'s", so that a name stays one word), or a mark.
PATTERN = r"\w+|'(?:s|t|m|re|ve|ll|d)\b|[^\w\s]"


@dataclass(frozen=True)
class Words:
    """A text as words: their spelling, each one's id in the vocabulary, and its column where unknown words have columns
    too.

    `new` are the text's unknown words, each once, in order: the k-th has the column V + k behind the vocabulary of V.
    """

    tokens: list[str]
    ids: list[int]
    columns: list[int]
    new: list[str]


class WordTokenizer:
    """Whole words, case kept; no spaces. Entry 0 ends a text, entry 1 stands for every word outside of the
    vocabulary."""

    END, UNKNOWN = 0, 1

    def __init__(self, inner: HFTokenizer):
        self._inner, self._guard = inner, growth.guard(inner)
        vocabulary = inner.get_vocab()
        self.words = sorted(vocabulary, key=vocabulary.__getitem__)

    @property
    def vocab_size(self) -> int:
        """Number of entries, the two special ones included."""
        return len(self.words)

    def encode(self, text: str) -> Words:
        """A text as words."""
        self._guard(text)
        found = self._inner.encode(text)
        spelled = [text[start:stop].replace("’", "'") for start, stop in found.offsets]
        new = list(dict.fromkeys(word for word, i in zip(spelled, found.ids) if i == self.UNKNOWN))
        place = {word: self.vocab_size + number for number, word in enumerate(new)}
        columns = [place[word] if i == self.UNKNOWN else i for word, i in zip(spelled, found.ids)]
        return Words(spelled, list(found.ids), columns, new)

    def to_json(self) -> str:
        """The text of a tokenizer.json."""
        return self._inner.to_str(pretty=True) + "\n"

    @classmethod
    def train(cls, texts: Iterable[str], least: int) -> WordTokenizer:
        """The words that occur at least so often, the most frequent first (equal ones by spelling)."""
        empty = cls._of({END: cls.END, UNKNOWN: cls.UNKNOWN})
        counts = Counter(word for text in texts for word in empty.encode(text).tokens)
        kept = sorted((w for w, n in counts.items() if n >= least), key=lambda word: (-counts[word], word))
        return cls._of({word: number for number, word in enumerate((END, UNKNOWN, *kept))})

    @classmethod
    def load(cls, path: Path) -> WordTokenizer:
        """Read a tokenizer.json. Raises BadCheckpoint unless it is one of whole words."""
        tokenizer = cls(read_json(path))
        if tokenizer.words[:2] != [END, UNKNOWN]:
            raise BadCheckpoint(f"{path.parent.name}/{path.name} is no vocabulary of whole words.")
        return tokenizer

    @classmethod
    def _of(cls, vocabulary: dict[str, int]) -> WordTokenizer:
        inner = HFTokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
        inner.normalizer = normalizers.Replace("’", "'")
        inner.pre_tokenizer = pre_tokenizers.Split(Regex(PATTERN), "removed", invert=True)
        return cls(inner)
