"""Everything the page FastText computes, cached: a word's parts with their shares, its neighbours, its spelling."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.words import ngrams, shares
from tlmviz.analysis.words.nearness import cosines
from tlmviz.analysis.words.text import split_words
from tlmviz.checks import Check, words_parts
from tlmviz.errors import UnknownName
from tlmviz.ui import words as shared
from tlmviz.ui.compute import run_in_worker
from tlmviz.word_vectors import Part

from .controls import MODEL, Choice

NEAR = 10


@dataclass(frozen=True)
class Parts:
    """A word as it was read, with marks; its parts in the order of its letters, where each begins, its share of the vector,
    and in how many words of the vocabulary it stands."""

    word: str
    marked: str
    parts: list[Part]
    starts: list[int]
    shares: np.ndarray
    standing: list[int]


@st.cache_resource(show_spinner=False)
def vocabulary_ngrams() -> list[set[str]]:
    """The n-grams of every word of the vocabulary."""
    wv = shared.model(MODEL)
    return [set(wv.ngrams(word)) for word in wv.vocabulary]


@st.cache_resource(show_spinner=False)
def _standing() -> Counter[str]:
    return Counter(part for every in vocabulary_ngrams() for part in every)


@st.cache_resource(max_entries=64, show_spinner=False)
def parts(choice: Choice) -> Parts:
    """The parts of a word. Raises UnknownName for what is no single word."""
    wv = choice.wv
    found = wv.parts(choice.word)
    [word] = split_words(choice.word)
    marked, counts = f"{ngrams.BEGIN}{word}{ngrams.END}", _standing()
    starts = _starts(marked, found)
    of_mean = shares.shares(torch.stack([part.vector for part in found]).double())
    standing = [1 if part.whole else counts[part.text] for part in found]
    return Parts(word, marked, found, starts, of_mean.numpy(), standing)


def _starts(marked: str, found: list[Part]) -> list[int]:
    """Where each part begins: n-grams come in the order of the word, so each is looked for from the last one's place on."""
    starts, place = [], 0
    for part in found:
        at = 0 if part.whole else marked.find(part.text, place)
        starts.append(at)
        place = place if part.whole else at
    return starts


def neighbours(choice: Choice) -> list[tuple[str, float]]:
    """The nearest words by FastText. Raises UnknownName."""
    return choice.wv.neighbours(choice.word, NEAR)


def others(choice: Choice) -> tuple[list[tuple[str, float]], str]:
    """The nearest words by the model of whole words; none and its sentence where it does not know the word."""
    try:
        return choice.other.neighbours(choice.word, NEAR), ""
    except UnknownName as error:
        return [], str(error)


@st.cache_resource(max_entries=32, show_spinner=False)
def spelling(choice: Choice) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Every other word of the vocabulary: its name, the n-grams in common, its cosine."""
    wv, word = choice.wv, parts(choice).word
    own = set(wv.ngrams(word))
    near = run_in_worker(lambda: cosines(wv.vector(word), wv.space)).numpy()
    kept = [row for row, name in enumerate(wv.vocabulary) if name != word]
    every = vocabulary_ngrams()
    alike = np.array([ngrams.common(own, every[row]) for row in kept])
    return [wv.vocabulary[row] for row in kept], alike, near[kept]


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(choice: Choice) -> list[Check]:
    """The identity behind the shares, on this word."""
    return [run_in_worker(lambda: words_parts.shares_sum_to_one(choice.wv, [choice.word]))]
