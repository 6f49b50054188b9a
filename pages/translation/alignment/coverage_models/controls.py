"""The controls of the view "With and without coverage": two models, a sentence and a beam width, as one Choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from tlmviz.ui import translation

REPEATERS = (
    "Yesterday I bought bread, milk, cheese, butter, apples, eggs and a bottle of wine.",
    "I like coffee, tea, milk, water, wine, beer and orange juice.",
    "He is a good man, a good father, a good friend and a good neighbour.",
    "The teacher asked the students to open the window, close the door, turn off the light and sit down.",
    "On Monday I work, on Tuesday I work, on Wednesday I rest.",
    "Tom bought apples, Mary bought pears, and John bought bananas.",
    "There are red cars, blue cars, green cars and yellow cars in the street.",
    "The dog chased the cat, the cat chased the mouse, and the mouse ran away.",
    "She said that he said that they said it was fine.",
    "One, two, three, four, five, six, seven, eight, nine, ten.",
)
STRIKING = "On Monday I work, on Tuesday I work, on Wednesday I rest."


@dataclass(frozen=True)
class Choice:
    """Two models, a sentence that both translate, and the width of their beams."""

    without: str
    with_coverage: str
    text: str
    width: int

    @property
    def models(self) -> tuple[str, str]:
        """Both models, the one without coverage first."""
        return self.without, self.with_coverage


def choose(with_coverage: Sequence[str], without: Sequence[str], text: str | None) -> Choice:
    """Draw the controls and return what they say."""
    sentences = [*([text] if text else []), *(each for each in REPEATERS if each != text)]
    # A sentence of the user's own is shown; before there is one, the one that shows the most.
    start = STRIKING if text in (None, translation.DEFAULT_SENTENCE) else text
    first, second, sentence, beam = st.columns([0.22, 0.22, 0.42, 0.14], vertical_alignment="bottom")
    return Choice(
        without=first.selectbox("Without", without, key="awo", bind="query-params"),
        with_coverage=second.selectbox("With coverage", with_coverage, key="awi", bind="query-params"),
        text=sentence.selectbox(
            "Sentence",
            sentences,
            sentences.index(start),
            key="arep",
            bind="query-params",
            help="Your own sentence, or one that invites repetition.",
        ),
        width=int(
            beam.number_input("Beam", value=1, step=1, key="acw", bind="query-params", help="1 is greedy.")
        ),
    )
