"""FastText's parts of words: character n-grams between boundary marks, hashed into a fixed number of rows.

Bojanowski et al. 2017; 004 section 4.1 forgets the marks: the 3-grams of "where" are <wh, whe, her, ere, re>.
"""

from __future__ import annotations

BEGIN, END = "<", ">"
OFFSET, PRIME = 2166136261, 16777619  # FNV-1a of 32 bits


def ngrams(word: str, shortest: int = 3, longest: int = 6) -> list[str]:
    """The n-grams of a word with its boundary marks, `shortest` to `longest` characters, in the order of the word.

    The whole marked word, which has a row of its own where it is in the vocabulary, is left out if it is longer than
    `shortest`.
    """
    marked = f"{BEGIN}{word}{END}"
    found = [
        marked[start : start + n]
        for start in range(len(marked))
        for n in range(shortest, longest + 1)
        if start + n <= len(marked)
    ]
    whole = [part for part in found if part != marked]
    return whole or found


def bucket(part: str, buckets: int) -> int:
    """The row that an n-gram shares with others: FNV-1a of its UTF-8 bytes, modulo the number of rows."""
    value = OFFSET
    for byte in part.encode():
        value = (value ^ byte) * PRIME & 0xFFFFFFFF
    return value % buckets


def common(one: set[str], other: set[str]) -> float:
    """How alike two words are spelled: n-grams in both over n-grams in either (Jaccard), 0 to 1."""
    return len(one & other) / max(1, len(one | other))
