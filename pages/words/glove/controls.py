"""The controls of the page GloVe: two words, probes, and whose text is counted, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.words.text import split_words
from tlmviz.ui import frame, inputs, words
from tlmviz.word_vectors import WordVectors

MODEL = "words-glove"
FIRST, SECOND = "hot", "cold"
PROBES = "sun summer coffee day weather wind winter snow"
CORPUS, OWN = "The model's text", "My text"
ICE = (
    "The lake was solid ice, cold and hard. Ice is water that has become solid. We walked on it all day long. "
    "Then the kettle at home blew out steam, a hot gas. Steam is water that has become a gas. It rose up and was gone."
)
LONGEST = 1000  # words of one's own text that are read
MOST = 12  # probes


@dataclass(frozen=True)
class Choice:
    """Two words, the probes that they are told apart by, and the words of one's own text; None for the model's."""

    first: str
    second: str
    probes: tuple[str, ...]
    own: tuple[str, ...] | None

    @property
    def wv(self) -> WordVectors:
        """The model that fits the counts of its text."""
        return words.model(MODEL)


def choose() -> Choice | None:
    """Draw the controls and return what they say; None where a word is missing, which a sentence says."""
    one, two, three = st.columns([0.18, 0.18, 0.64])
    first = _word(one.text_input("Word i", FIRST, key="gwi", live="150ms", bind="query-params"))
    second = _word(two.text_input("Word j", SECOND, key="gwj", live="150ms", bind="query-params"))
    typed = three.text_input("Probes k", PROBES, key="gprobes", live="150ms", bind="query-params")
    with frame.after_picture(pairs=False):
        source, text = st.columns([0.27, 0.73], vertical_alignment="center")
        whose = source.segmented_control(
            "Counts of",
            (CORPUS, OWN),
            default=CORPUS,
            key="gsource",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
        if whose == OWN:
            read = text.text_input(
                "Text", ICE, key="gtext", live="150ms", bind="query-params", label_visibility="collapsed"
            )
            own = _cut(split_words(read or ""))
        else:
            size = int(words.model(MODEL).counts.sum())
            text.caption(
                f"{size:,} words of children's stories and everyday sentences, which {MODEL} was fitted to."
            )
            own = None
    probes = tuple(dict.fromkeys(split_words(typed or "")))
    if not first or not second:
        st.info("Give one word as i and one as j, such as “hot” and “cold”.")
        return None
    if not probes:
        st.info("Give a few probes: words that may stand near one of the two and not near the other.")
        return None
    if len(probes) > MOST:
        st.warning(f"{len(probes):,} probes were given and {MOST} are shown: the first {MOST}.")
    return Choice(first, second, probes[:MOST], own)


def _word(typed: str | None) -> str:
    """The first word of what was typed; further ones are named in a sentence."""
    found = split_words(typed or "")
    if len(found) > 1:
        st.warning(
            f"“{inputs.plain((typed or '')[:40])}” is {len(found)} words; the first, “{inputs.plain(found[0])}”, is read."
        )
    return found[0] if found else ""


def _cut(found: list[str]) -> tuple[str, ...]:
    if len(found) > LONGEST:
        st.warning(
            f"This text has {len(found):,} words and the page reads {LONGEST:,}: the first {LONGEST:,} are counted."
        )
    return tuple(found[:LONGEST])
