"""The controls of the page "One step of training": the pair, the text, the draws and what the picture keeps, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.analysis.words.text import split_words
from tlmviz.errors import UnknownName
from tlmviz.ui import inputs, link
from tlmviz.ui import words as models
from tlmviz.word_vectors import WordVectors

SOFTMAX, NEGATIVE, BAG, TREE = "Full softmax", "Negative sampling", "CBOW", "Tree"
PARTS = (SOFTMAX, NEGATIVE, BAG, TREE)
MODELS = {
    SOFTMAX: "words-skipgram",
    NEGATIVE: "words-negative",
    BAG: "words-cbow",
    TREE: "words-hierarchical",
}
CENTER, CONTEXT = "little", "girl"
TEXT = "Once upon a time there was a little girl named Lily who had a red ball"
MOST_DRAWS, DRAWS = 20, 5
MOST_WORDS = 60  # of a text that CBOW reads: more do not fit into its strip
LONGEST_SHOWN = 40  # characters of a word in a message
THROWS = 32  # that the browser has at once
KEY = "trainingstep"

RATE = link.Field("wrate", 0.3, link.real(0.001, 10.0), lambda rate: f"{rate:.4g}")
ALL = link.Field("wmove", True, lambda text: text != "v", lambda everything: "all" if everything else "v")
SEED = link.Field("wseed", 0, link.whole(0, 999_999))
AT = link.Field("wat", None, link.whole(0, MOST_WORDS - 1))  # None: the middle of the text
WIDTHS = link.Field("wwide", "model", link.choice(("model", "text")))
FIELDS = {"rate": RATE, "all": ALL, "seed": SEED, "at": AT, "widths": WIDTHS}
_SEQUENCE = "_training_step_sequence"  # session: number of the picture's last message
_PAIR = "_training_step_pair"  # session: the last pair that every model knows


@dataclass(frozen=True)
class Choice:
    """A part of the page, the pair, the words of CBOW's text that are known, the draws, and what the picture keeps."""

    part: str = SOFTMAX
    center: str = CENTER
    context: str = CONTEXT
    text: tuple[str, ...] = ()
    window: int = 5
    negatives: int = DRAWS
    rate: float = 0.3
    everything: bool = True
    seed: int = 0
    at: int = 0

    @property
    def wv(self) -> WordVectors:
        """The model of this part."""
        return models.model(MODELS[self.part])


def choose() -> Choice | None:
    """Draw the controls and return what they say; None without a text that CBOW can read, which a sentence says."""
    kind, left, right, room = st.columns([0.45, 0.165, 0.165, 0.22], vertical_alignment="bottom")
    part = kind.segmented_control(
        "Method",
        PARTS,
        default=PARTS[0],
        key="wpart",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if part == BAG:
        return _bag(part, left, right, room)
    center, context = _pair(models.model(MODELS[part]), left, right)
    negatives = _draws(room) if part == NEGATIVE else DRAWS
    return _kept(Choice(part, center, context, negatives=negatives))


def _kept(choice: Choice) -> Choice:
    """The same choice with what the picture keeps."""
    at = AT.get()
    values = vars(choice) | {"rate": RATE.get(), "everything": ALL.get(), "seed": SEED.get()}
    middle = len(choice.text) // 2
    return Choice(**(values | {"at": middle if at is None else min(at, max(0, len(choice.text) - 1))}))


def _pair(wv: WordVectors, left, right) -> tuple[str, str]:
    """Center and context word as the model spells them; for one that it does not know, the last known stays, and it is said."""
    known = dict(st.session_state.get(_PAIR) or {"center": CENTER, "context": CONTEXT})
    boxes = (
        (left, "Center word", "center", CENTER, "wcenter"),
        (right, "Context word", "context", CONTEXT, "wcontext"),
    )
    for place, label, name, default, key in boxes:
        typed = place.text_input(label, default, key=key, bind="query-params", live="150ms")
        try:
            known[name] = wv.vocabulary[wv.index(typed or "")]
        except UnknownName as error:
            st.warning(inputs.plain(f"{error} The picture stays at {known[name]!r}."))
    st.session_state[_PAIR] = known
    return known["center"], known["context"]


def _draws(place) -> int:
    return place.slider(
        "Words drawn",
        1,
        MOST_DRAWS,
        DRAWS,
        key="wneg",
        bind="query-params",
        help="Negative samples for each pair: k in the equation.",
    )


def _bag(part: str, left, right, room) -> Choice | None:
    """The text that CBOW reads a window of."""
    wv = models.model(MODELS[part])
    typed = left.text_input("Text", TEXT, key="wsent", bind="query-params", live="150ms")
    reach = right.slider(
        "Window",
        1,
        10,
        wv.config.window,
        key="wreach",
        bind="query-params",
        help="Words on each side of the one that is predicted.",
    )
    negatives = _draws(room)
    every = split_words(typed or "")
    known = [word for word in every if word in wv]
    unknown = list(dict.fromkeys(word[:LONGEST_SHOWN] for word in every if word not in wv))
    if len(known) < 2:
        st.warning(
            f"This text has {len(known)} words that {wv.name} knows; a window needs at least two everyday English words."
        )
        return None
    if unknown:
        named = ", ".join(unknown[:3]) + (" …" if len(unknown) > 3 else "")
        st.caption(
            f"Left out, as the model never learned them: {len(unknown)} words ({inputs.plain(named)}). "
            "A FastText model would have made vectors for them from their letters."
        )
    if len(known) > MOST_WORDS:
        st.caption(
            f"This text has {len(known):,} known words; the first {MOST_WORDS} are shown. "
            "The windows of the others work the same way."
        )
    return _kept(Choice(part, text=tuple(known[:MOST_WORDS]), window=reach, negatives=negatives))


def state(choice: Choice) -> dict[str, Any]:
    """What the picture shows, with the number of its own last message."""
    kept = {name: field.get() for name, field in FIELDS.items()}
    return {**kept, "at": choice.at, "word": "", "seq": st.session_state.get(_SEQUENCE, 0)}


def keep(key: str) -> None:
    """Callback of a picture: what the user left it at; a word that was clicked becomes the context word."""
    message = (st.session_state.get(key) or {}).get("place")
    if not message:
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    for name, field in FIELDS.items():
        if name in message:
            field.set(message[name])
    if word := message.get("word"):
        st.session_state["wcontext"] = word
