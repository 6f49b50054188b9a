"""The controls of the page "From text to pairs": a text, the window, which words are thrown out, a model, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.words.text import split_words
from tlmviz.ui import frame, inputs, link, words
from tlmviz.word_vectors import WordVectors

EXAMPLES = {
    "Cat and dog": "The cat sat on the soft bed and slept. The dog sat on the soft bed and slept. Tom likes his cat a lot. Tom "
    "likes his dog a lot. A hungry cat ate the fish. A hungry dog ate the meat.",
    "The lecture's sentence": "the cat sit on the mat",
    "Two seasons": "Summer is hot, and in summer we swim in the lake. Winter is cold, and in winter we walk in the snow. "
    "A summer day is long. A winter day is short.",
    "A word nobody knows": "My zumi drank the milk. My cat drank the milk. The zumi slept in the sun. The cat slept in the sun.",
}
DEFAULT_TEXT = EXAMPLES["Cat and dog"]
LONGEST = 1000  # words that are read
WIDEST = 5  # words on each side
THRESHOLDS = {"off": 0.0, "0.01": 1e-2, "0.001": 1e-3, "0.0001": 1e-4}
ONE, BY_DISTANCE = "1 each", "1 / distance"
PICTURE = "pairsview"  # key of the picture
PLACE = link.Field(
    "wat", None, link.whole(1, LONGEST)
)  # which kept word is the center, from 1; None: a telling one
SEED = link.Field("wseed", 0, link.whole(0, 9999))
_SEQUENCE = f"{link.SLOT}wp_sequence"  # session: number of the picture's last message


@dataclass(frozen=True)
class Choice:
    """The words of a text, words on each side of a center, how a meeting is counted, the threshold t, the throw, the model."""

    words: tuple[str, ...]
    window: int
    by_distance: bool
    threshold: float
    seed: int
    model: str

    @property
    def wv(self) -> WordVectors:
        """The model whose vectors are compared, and whose text says how frequent words are."""
        return words.model(self.model)


def choose() -> Choice | None:
    """Draw the controls and return what they say; None without a text of two words, which a sentence says."""
    typed = st.text_input(
        "Text", DEFAULT_TEXT, key="wtext", live="150ms", bind="query-params", label_visibility="collapsed"
    )
    with frame.after_picture(pairs=False):
        window, counting, throw, again, model = st.columns(
            [0.2, 0.22, 0.28, 0.1, 0.2], vertical_alignment="bottom"
        )
    radius = window.slider("Words on each side, m", 1, WIDEST, 2, key="wm", bind="query-params")
    weight = counting.segmented_control(
        "A meeting counts", (ONE, BY_DISTANCE), default=ONE, key="wcount", bind="query-params", required=True
    )
    threshold = throw.select_slider(
        "Throw out frequent words, t",
        list(THRESHOLDS),
        "off",
        key="wthrow",
        bind="query-params",
        help="A word that makes up the share f of the models' text stays with probability √(t / f).",
    )
    again.button("Throw", on_click=_throw, disabled=threshold == "off", help="Throw again, with another seed")
    name = model.selectbox(
        "Vectors of",
        list(words.models()),
        list(words.models()).index(words.DEFAULT_MODEL),
        key="wvm",
        bind="query-params",
    )
    found = _read(typed or "")
    if found is None:
        return None
    seed = SEED.get() if threshold != "off" else 0
    return Choice(found, radius, weight == BY_DISTANCE, THRESHOLDS[threshold], seed, name)


def _read(typed: str) -> tuple[str, ...] | None:
    """The words of what was typed, cut to LONGEST; None for fewer than two. Either is said in a sentence."""
    found = split_words(typed)
    if len(found) < 2:
        said = f"This text has {len(found)} words" if typed.strip() else "The text is empty"
        st.info(f"{said.replace('1 words', '1 word')}; a window needs at least two: type a sentence.")
        return None
    if len(found) > LONGEST:
        st.warning(
            f"This text has {len(found):,} words and the page reads {LONGEST:,}: the first {LONGEST:,} are shown."
        )
    return tuple(found[:LONGEST])


def example_texts() -> None:
    """The texts to start from, beside one another."""
    inputs.text_buttons(EXAMPLES, "wexample", _use_example)


def state() -> dict:
    """The place that the picture shows, with the number of its own last message."""
    place = PLACE.get()
    return {"step": None if place is None else place - 1, "seq": st.session_state.get(_SEQUENCE, 0)}


def keep_place() -> None:
    """Callback of the picture: the user left its window at a word."""
    message = (st.session_state.get(PICTURE) or {}).get("place")
    if message:
        st.session_state[_SEQUENCE] = int(message["seq"])
        PLACE.set(min(LONGEST, max(1, int(message["step"]) + 1)))


def _throw() -> None:
    SEED.set((SEED.get() + 1) % 10_000)


def _use_example(text: str) -> None:
    st.session_state["wtext"] = text
    PLACE.set(None)
