"""The control of the page FastText: a word, real or not."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.ui import words as shared
from tlmviz.word_vectors import WordVectors

MODEL, OTHER = "words-fasttext", "words-negative"
WORD = "beautifull"
LONGEST = 30  # letters of a word: a hundred n-grams


@dataclass(frozen=True)
class Choice:
    """The word that is taken apart, as it was typed."""

    word: str = WORD

    @property
    def wv(self) -> WordVectors:
        """The model that makes its vector from letters."""
        return shared.model(MODEL)

    @property
    def other(self) -> WordVectors:
        """A model that knows whole words only."""
        return shared.model(OTHER)


def choose() -> Choice:
    """Draw the box and return what it says. Raises BadText for no word or an endless one."""
    typed = st.text_input(
        "Word",
        WORD,
        key="ftw",
        bind="query-params",
        live="150ms",
        label_visibility="collapsed",
        placeholder="Any word, also one that does not exist",
    )
    word = (typed or "").strip()
    if not word:
        raise BadText("No word is typed; type one, also one that does not exist.")
    if len(word) > LONGEST:
        raise BadText(
            f"“{word[:LONGEST]}…” has {len(word):,} characters; give one word of at most {LONGEST}."
        )
    return Choice(word)
