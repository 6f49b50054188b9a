"""One text as a sliding window reads it: its words by number, those thrown out for being frequent, whose rows are
alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from . import pairs as windows


@dataclass(frozen=True)
class Reading:
    """The words of a text [T]: their rows in `vocabulary`, which is in order of first appearance, and which are kept.

    `keep` [N] is how likely each word of the vocabulary stays, `kept` [T] what the throw gave.
    """

    words: tuple[str, ...]
    vocabulary: tuple[str, ...]
    ids: Int[np.ndarray, " t"]
    keep: Float[np.ndarray, " n"]
    kept: Bool[np.ndarray, " t"]

    @cached_property
    def counts(self) -> Int[np.ndarray, " n"]:
        """How often each word stands in the text, thrown ones too."""
        return np.bincount(self.ids, minlength=len(self.vocabulary))

    def cooccurrence(self, window: int, by_distance: bool = False) -> Float[np.ndarray, "n n"]:
        """How often the words that are kept stand in each other's window, [N, N]."""
        ids, size = self.ids[self.kept], len(self.vocabulary)
        return windows.cooccurrence(ids, window, size, by_distance=by_distance).toarray()

    def pairs(self, window: int) -> list[tuple[str, str]]:
        """(center, context) of every window of the words that are kept."""
        return windows.pairs([word for word, stays in zip(self.words, self.kept) if stays], window)


def read(words: Sequence[str], keep: Mapping[str, float], seed: int = 0) -> Reading:
    """A text whose words stay with the probability that `keep` says, those that it lacks always."""
    vocabulary = tuple(dict.fromkeys(words))
    row = {word: number for number, word in enumerate(vocabulary)}
    ids = np.array([row[word] for word in words], np.int64)
    chances = np.array([keep.get(word, 1.0) for word in vocabulary], np.float64)
    kept = np.random.default_rng(seed).random(len(ids)) < chances[ids]
    return Reading(tuple(words), vocabulary, ids, chances, kept)


def most_frequent(words: Sequence[str], most: int) -> list[str]:
    """The `most` most frequent words, in order of first appearance."""
    chosen = {word for word, _ in Counter(words).most_common(most)}
    return [word for word in dict.fromkeys(words) if word in chosen]


def row_cosines(matrix: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n n"]:
    """The cosine of every two rows; 0 for a row of zeros."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = np.divide(matrix, lengths, out=np.zeros(matrix.shape), where=lengths > 0)
    return unit @ unit.T


def alike_apart(matrix: Float[np.ndarray, "n n"], counts: Int[np.ndarray, " n"]) -> tuple[int, int] | None:
    """The two words whose rows are most alike among those that never meet, both in the text twice or more.

    None where there are none with anything in common.
    """
    near = np.triu(row_cosines(matrix), 1)
    near[matrix > 0] = 0
    near[np.minimum.outer(counts, counts) < 2] = 0
    best = int(near.argmax()) if near.size else 0
    if not near.size or near.flat[best] <= 0:
        return None
    return best // len(near), best % len(near)


def one_hot(size: int) -> Float[np.ndarray, "n n"]:
    """The one-hot vectors of `size` words, a row each: 1 at the word's own place, 0 elsewhere (004 Eq. 2)."""
    return np.eye(size)


def unit_distances(vectors: Float[np.ndarray, "n c"]) -> Float[np.ndarray, "n n"]:
    """The distance of every two vectors, each divided by its length: sqrt(2 - 2 cos), from 0 to 2; sqrt(2) is a right
    angle."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.maximum(lengths, 1e-12)
    return np.linalg.norm(unit[:, None] - unit[None], axis=-1)
