"""Everything the page "From text to pairs" computes, cached: the text as windows read it, and the distances of its words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from tlmviz.analysis.words import reading
from tlmviz.analysis.words.pairs import keep_probability
from tlmviz.analysis.words.reading import Reading
from tlmviz.checks import Check
from tlmviz.checks import words as checks
from tlmviz.errors import UnknownName
from tlmviz.ui import words

from .controls import Choice

COMPARED = 18  # words whose distances are shown


@dataclass(frozen=True)
class Distances:
    """The words that are compared, those that the model has no vector for, and the distances of both kinds of vectors [N, N]."""

    words: list[str]
    unknown: list[str]
    one_hot: np.ndarray
    trained: np.ndarray


@st.cache_data(max_entries=16, show_spinner=False)
def keep_table(model: str, threshold: float) -> dict[str, float]:
    """How likely each word of a model's text stays."""
    wv = words.model(model)
    return dict(zip(wv.vocabulary, keep_probability(wv.counts, threshold).tolist()))


def shares(model: str) -> dict[str, float]:
    """The share of the model's text that each of its words makes up."""
    wv = words.model(model)
    return dict(zip(wv.vocabulary, (wv.counts / wv.counts.sum()).tolist()))


@st.cache_resource(max_entries=32, show_spinner=False)
def read(choice: Choice) -> Reading:
    """The text, with what was thrown out of it."""
    return reading.read(choice.words, keep_table(choice.model, choice.threshold), choice.seed)


@st.cache_data(max_entries=32, show_spinner=False)
def matrix(choice: Choice) -> np.ndarray:
    """How often the text's words meet, [N, N]."""
    return read(choice).cooccurrence(choice.window, choice.by_distance)


def pair(choice: Choice) -> tuple[int, int] | None:
    """The words that never meet and whose rows are most alike."""
    return reading.alike_apart(matrix(choice), read(choice).counts)


def telling_place(choice: Choice) -> int:
    """The last place of a word with a twin that it never meets, among the words that are kept; else the last place."""
    own, found = read(choice), pair(choice)
    kept = own.ids[own.kept]
    if found is None:
        return max(0, len(kept) - 1)
    return int(np.flatnonzero(np.isin(kept, found))[-1])


@st.cache_data(max_entries=32, show_spinner=False)
def distances(model: str, given: tuple[str, ...]) -> Distances | None:
    """The text's most frequent words that the model has vectors for; None for fewer than two of them."""
    wv = words.model(model)
    vectors, unknown = {}, []
    for word in reading.most_frequent(given, len(given)):
        try:
            vectors[word] = wv.vector(word).double().numpy()
        except UnknownName:
            unknown.append(word)
    shown = reading.most_frequent([word for word in given if word in vectors], COMPARED)
    if len(shown) < 2:
        return None
    trained = reading.unit_distances(np.stack([vectors[word] for word in shown]))
    return Distances(shown, unknown, reading.unit_distances(reading.one_hot(len(shown))), trained)


@st.cache_data(max_entries=32, show_spinner=False)
def measured(choice: Choice) -> list[Check]:
    """The identities behind this page, on the words that are kept."""
    own = read(choice)
    kept = [word for word, stays in zip(own.words, own.kept) if stays]
    return [
        checks.counts_are_pairs(kept, choice.window),
        checks.counts_are_symmetric(kept, choice.window),
        checks.one_hot_is_root_two(kept),
    ]
