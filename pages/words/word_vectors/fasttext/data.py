"""Everything that the part FastText shows: a word's parts with their shares, its neighbours, its spelling."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.words import ngrams, shares
from tlmviz.analysis.words.nearness import cosines
from tlmviz.analysis.words.text import split_words
from tlmviz.checks import Check, words_parts
from tlmviz.errors import BadText, UnknownName
from tlmviz.facades.word_vectors import Part, WordVectors
from tlmviz.ui import words as shared
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker

from .state import LONGEST, Word

MODEL, OTHER = "words-fasttext", "words-negative"
NEAR = 10


@dataclass(frozen=True)
class Data:
    """What the part shows of a word."""

    chosen: Word

    @cached_property
    def word(self) -> str:
        """The word as it is read. Raises BadText for none or an endless one, UnknownName for several."""
        word = self.chosen.word.strip()
        if not word:
            raise BadText("No word is typed; type one, also one that does not exist.")
        if len(word) > LONGEST:
            raise BadText(
                "“{word}…” has {count} characters; give one word of at most {most}.",
                word=word[:LONGEST],
                count=f"{len(word):,}",
                most=LONGEST,
            )
        self.wv.ngrams(word)
        return split_words(word)[0]

    @property
    def wv(self) -> WordVectors:
        """The model that makes its vector from letters."""
        return shared.model(MODEL)

    @property
    def marked(self) -> str:
        """The word with marks for its beginning and end."""
        return f"{ngrams.BEGIN}{self.word}{ngrams.END}"

    @cached_property
    def parts(self) -> list[Part]:
        """Its parts in the order of its letters; a word of the vocabulary is the first of its own."""
        return self.wv.parts(self.word)

    @property
    def known(self) -> bool:
        """Whether it is in the vocabulary."""
        return self.parts[0].whole

    @cached_property
    def starts(self) -> list[int]:
        """Where each part begins: n-grams come in the order of the word, so each is looked for from the last one's
        place on."""
        starts, place = [], 0
        for part in self.parts:
            at = 0 if part.whole else self.marked.find(part.text, place)
            starts.append(at)
            place = place if part.whole else at
        return starts

    @cached_property
    def shares(self) -> np.ndarray:
        """The share of the word's vector that each part makes up."""
        return shares.shares(torch.stack([part.vector for part in self.parts]).double()).numpy()

    @cached_property
    def standing(self) -> list[int]:
        """In how many words of the vocabulary each part stands."""
        return [1 if part.whole else _standing()[part.text] for part in self.parts]

    @property
    def trained(self) -> tuple[int, int]:
        """How many of the n-grams stand in words of the vocabulary, and how many there are."""
        counts = [count for part, count in zip(self.parts, self.standing) if not part.whole]
        return sum(count > 0 for count in counts), len(counts)

    @cached_property
    def near(self) -> list[tuple[str, float]]:
        """The nearest words."""
        return self.wv.neighbours(self.word, NEAR)

    @cached_property
    def others(self) -> list[tuple[str, float]]:
        """The nearest words by a model of whole words; none where it does not know the word."""
        try:
            return shared.model(OTHER).neighbours(self.word, NEAR)
        except UnknownName:
            return []

    @cached(32)
    def spelling(word: str) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Every other word of the vocabulary: its name, the share of n-grams in common, its cosine."""
        wv = shared.model(MODEL)
        own = set(wv.ngrams(word))
        near = run_in_worker(lambda: cosines(wv.vector(word), wv.space)).numpy()
        kept = [row for row, name in enumerate(wv.vocabulary) if name != word]
        every = vocabulary_ngrams()
        alike = np.array([ngrams.common(own, every[row]) for row in kept])
        return [wv.vocabulary[row] for row in kept], alike, near[kept]

    @property
    def checks(self) -> list[Check]:
        """The identity behind the shares, on this word."""
        return [run_in_worker(lambda: words_parts.shares_sum_to_one(self.wv, [self.word]))]


@st.cache_resource(show_spinner=False)
def vocabulary_ngrams() -> list[set[str]]:
    """The n-grams of every word of the vocabulary."""
    wv = shared.model(MODEL)
    return [set(wv.ngrams(word)) for word in wv.vocabulary]


@st.cache_resource(show_spinner=False)
def _standing() -> Counter[str]:
    return Counter(part for every in vocabulary_ngrams() for part in every)
