"""The controls of the page "Train it now": the text, the window and the rate, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.words.text import split_words
from tlmviz.training.live import least_count
from tlmviz.training.words import WordText

SECONDS = 20.0
MOST = 100_000  # characters of a text
RATES = (0.01, 0.025, 0.05, 0.1, 0.2, 0.5)
WINDOW, RATE = 5, 0.05


@dataclass(frozen=True)
class Choice:
    """What is trained on: a text, "" for the stories that come with the app; words on each side; and the rate."""

    text: str = ""
    window: int = WINDOW
    rate: float = RATE

    def read(self, stories: str) -> WordText:
        """The text as rows of its vocabulary. Raises BadText for fewer than two words."""
        words = split_words(self.text or stories)
        return WordText.of([words], least_count(len(words)))


def choose() -> Choice:
    """Draw the controls and return what they say."""
    left, right = st.columns([0.6, 0.4])
    text = left.text_area(
        "Your text",
        "",
        key="wlive",
        bind="query-params",
        height=92,
        max_chars=MOST,
        placeholder="Paste a text of your own: a chapter, a few stories. While this is empty, short stories that a small model "
        "wrote are read.",
    )
    with right:
        window = st.slider(
            "Window", 1, 10, WINDOW, key="wlwin", bind="query-params", help="Words read on each side."
        )
        rate = st.select_slider(
            "Rate", RATES, RATE, key="wlrate", bind="query-params", help="How far every step goes."
        )
    return Choice((text or "").strip(), window, rate)
