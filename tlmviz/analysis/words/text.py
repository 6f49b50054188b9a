"""From text to words: one way for all word-vector models, their training and the pages."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable

APOSTROPHES = "'’ʼ"
KEPT = ("L", "M", "N")  # Unicode categories: letters, marks that belong to them, numbers


class _Letters(dict[int, str]):
    """For `str.translate`: letters and digits stay, apostrophes become ', anything else a space; looked up once
    each."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in APOSTROPHES:
            kept = "'"
        else:
            kept = character if unicodedata.category(character).startswith(KEPT) else " "
        self[code] = kept
        return kept


_LETTERS = _Letters()


def split_words(text: str) -> list[str]:
    """The words of a text: lower case, apostrophes inside kept, punctuation dropped. "I can't!" is i, can't."""
    spaced = text.lower().translate(_LETTERS)
    return [word for word in (piece.strip("'") for piece in spaced.split()) if word]


def count_words(documents: Iterable[list[str]], least: int = 1) -> dict[str, int]:
    """How often each word stands in the documents, `least` times or more; most frequent first, equal ones by
    alphabet."""
    counts = Counter(word for words in documents for word in words)
    kept = [(word, count) for word, count in counts.items() if count >= least]
    return dict(sorted(kept, key=lambda entry: (-entry[1], entry[0])))
