"""Everything that the part Text to pairs shows: the text as windows read it, and the distances of its words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.words import reading
from tlmviz.analysis.words.pairs import keep_probability
from tlmviz.analysis.words.reading import Reading
from tlmviz.analysis.words.text import split_words
from tlmviz.checks import Check
from tlmviz.checks import words as identities
from tlmviz.errors import BadText, UnknownName
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.ui import words as models
from tlmviz.ui.cached import cached

from ..state import LONGEST
from .state import Pairs

COMPARED = 18  # words whose distances are shown


@dataclass(frozen=True)
class Distances:
    """The words that are compared, those that the model has no vector for, and the distances of both kinds of vectors
    [N, N].

    Fewer than two words have no distances.
    """

    words: list[str]
    unknown: list[str]
    one_hot: np.ndarray
    trained: np.ndarray


@dataclass(frozen=True)
class Data:
    """What the part shows of the words of a text."""

    chosen: Pairs

    @cached_property
    def every(self) -> list[str]:
        """All words of the text. Raises BadText for fewer than two."""
        every = split_words(self.chosen.text)
        if len(every) < 2:
            raise BadText(
                "A window needs at least two words; this text has {count}. Type a sentence.", count=len(every)
            )
        return every

    @property
    def words(self) -> tuple[str, ...]:
        """Those that are read."""
        return tuple(self.every[:LONGEST])

    @property
    def wv(self) -> WordVectors:
        """The model whose vectors are compared, and whose text says how frequent words are."""
        return models.model(self.chosen.model)

    @cached_property
    def reading(self) -> Reading:
        """The text, with what was thrown out of it."""
        keep = keep_table(self.chosen.model, self.chosen.threshold)
        return reading.read(self.words, keep, self.chosen.seed if self.chosen.threshold else 0)

    @cached_property
    def kept(self) -> list[str]:
        """The words that stay."""
        return [word for word, stays in zip(self.words, self.reading.kept) if stays]

    @cached_property
    def matrix(self) -> np.ndarray:
        """How often the text's words meet, [N, N]."""
        return self.reading.cooccurrence(self.chosen.window, self.chosen.by_distance)

    @cached_property
    def alike(self) -> tuple[str, str, float] | None:
        """The words that never meet and whose rows are most alike, and their cosine."""
        found = reading.alike_apart(self.matrix, self.reading.counts)
        if found is None:
            return None
        one, other = (self.reading.vocabulary[at] for at in found)
        return one, other, float(reading.row_cosines(self.matrix)[found])

    @property
    def place(self) -> int:
        """The last place of a word with a twin that it never meets, among the words that are kept; else the last
        place."""
        twins = self.alike[:2] if self.alike else ()
        return max((at for at, word in enumerate(self.kept) if word in twins), default=max(0, len(self.kept) - 1))

    @property
    def usual(self) -> float:
        """The threshold that is shown: the chosen one, or that of the model's training where it is off."""
        return self.chosen.threshold or self.wv.config.subsample

    @property
    def shares(self) -> dict[str, float]:
        """The share of the model's text that each of the text's words makes up."""
        wv = self.wv
        known = [word for word in self.reading.vocabulary if word in wv.vocabulary]
        return {word: float(wv.counts[wv.index(word)] / wv.counts.sum()) for word in known}

    @cached(32)
    def distances(model: str, words: tuple[str, ...]) -> Distances:
        """The text's most frequent words that the model has vectors for."""
        wv = models.model(model)
        vectors, unknown = {}, []
        for word in reading.most_frequent(words, len(words)):
            try:
                vectors[word] = wv.vector(word).double().numpy()
            except UnknownName:
                unknown.append(word)
        shown = reading.most_frequent([word for word in words if word in vectors], COMPARED)
        trained = np.stack([vectors[word] for word in shown]) if shown else np.zeros((0, 1))
        return Distances(shown, unknown, *map(reading.unit_distances, (reading.one_hot(len(shown)), trained)))

    @cached(32)
    def checks(kept: list[str], window: int) -> list[Check]:
        """The identities, on the words that are kept."""
        return [
            identities.counts_are_pairs(kept, window),
            identities.counts_are_symmetric(kept, window),
            identities.one_hot_is_root_two(kept),
        ]


@st.cache_data(max_entries=16, show_spinner=False)
def keep_table(model: str, threshold: float) -> dict[str, float]:
    """How likely each word of a model's text stays."""
    wv = models.model(model)
    return dict(zip(wv.vocabulary, keep_probability(wv.counts, threshold).tolist()))
