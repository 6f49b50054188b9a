"""Guess first: where its one switch is on, key pages ask a question before they show their picture.

A question is made from what the page computes for its present state, so its answers are real tokens and numbers; a
click on one shows the picture with the verdict above it. What was told belongs to a state: another text asks anew.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar
from zlib import crc32

import streamlit as st

from tlmviz.figures import number

from . import link, texts
from .markdown import plain

Entry = TypeVar("Entry")
FIRST: link.Field[bool] = link.Field("guess", False, lambda text: text == "1", lambda on: str(int(on)))
FEWEST, MOST = 3, 4  # answers to choose from
SHOWN = -1  # in place of an answer: the picture was asked for
_WIDGET = "_guess"  # a key of its own: Streamlit forgets a widget's value on another page
# Streamlit cuts a long label off, and answers may differ at their end.
_STYLE = """<style>
[class*="st-key-guess-"] button p { white-space: normal !important; overflow: visible !important; text-align: left; }
</style>"""
_TOLD = f"{link.SLOT}guessed_"  # session: begins the names under which pages keep what was told


@dataclass(frozen=True)
class Question:
    """A question, its answers as plain text, which of them is true, counted from 0, and what was measured, as
    Markdown."""

    asks: str
    options: tuple[str, ...]
    answer: int
    says: str


@dataclass(frozen=True)
class Told:
    """The answer given to a question, or SHOWN, and the state that it is about."""

    about: Hashable
    question: Question
    said: int


def switch(asks: bool = True) -> None:
    """The switch, on a page that `asks`; what it is set to is kept on all others."""
    if asks:
        st.session_state[_WIDGET] = FIRST.get()
        st.toggle("Guess first", key=_WIDGET, on_change=_switched, help=texts.GUESS_HELP)
    FIRST.share()


def _switched() -> None:
    FIRST.keep(st.session_state[_WIDGET])
    for name in [name for name in st.session_state if str(name).startswith(_TOLD)]:
        del st.session_state[name]


def first(page: str, about: Hashable, ask: Callable[[], Question | None]) -> bool:
    """Whether the picture of a page may be drawn; while it may not, its question is drawn here, and afterwards the
    verdict.

    `about` is the state that a question is about: the text and the model, and what else asks anew. `ask` gives the
    question for it, None where there is none; it is called while the question is open, and never with the switch off.
    """
    if not FIRST.get():
        return True
    told: Told | None = st.session_state.get(_TOLD + page)
    if told is not None and told.about == about:
        _verdict(page, told)
        return True
    question = ask()
    if question is None:
        return True
    _open(page, about, question)
    return False


def _open(page: str, about: Hashable, question: Question) -> None:
    """The question with its answers to press."""
    with st.container(border=True, key=f"guess-{page}"):
        st.html(_STYLE)
        st.markdown(f":orange-badge[Guess first] {question.asks}")
        with st.container(horizontal=True, gap="small"):
            for number, option in enumerate(question.options):
                _button(plain(option), page, Told(about, question, number))
            _button("Just show me", page, Told(about, question, SHOWN), type="tertiary")


def _button(label: str, page: str, told: Told, **look: Any) -> None:
    st.button(label, key=f"guess-{page}-{told.said}", on_click=_tell, args=(page, told), **look)


def _tell(page: str, told: Told) -> None:
    st.session_state[_TOLD + page] = told


def _verdict(page: str, told: Told) -> None:
    """What was said, and what is true."""
    question = told.question
    if told.said == SHOWN:
        verdict = ":gray-badge[Shown]"
    elif told.said == question.answer:
        verdict = f":green-badge[✓ Right: {plain(question.options[told.said])}]"
    else:
        verdict = f":red-badge[✗ You said: {plain(question.options[told.said])}]"
    with st.container(key=f"guess-{page}"):
        st.markdown(f"{verdict} {question.says}")


def question(
    asks: str,
    answer: Entry,
    others: Iterable[Entry],
    says: str,
    show: Callable[[Entry], str] = str,
    order: Callable[[Entry], Any] | None = None,
) -> Question | None:
    """A question whose answers are the true one and the first `others` that read differently, in the `order` of the
    entries.

    The others come with the most plausible first. None where fewer than FEWEST are left to choose from.
    """
    found = [answer]
    for other in others:
        if len(found) < MOST and show(other) not in map(show, found):
            found.append(other)
    if len(found) < FEWEST:
        return None
    found.sort(key=order)
    return Question(asks, tuple(map(show, found)), found.index(answer), says)


def ladder(answer: float, about: Hashable, factor: float = 2.0) -> list[float]:
    """Numbers beside a true one, each `factor` times the one before; on which rung that one stands depends on the
    state."""
    place = crc32(repr(about).encode()) % MOST
    return [answer * factor ** (rung - place) for rung in range(MOST) if rung != place]


def three_digits(value: float) -> str:
    """A number as an answer: three digits, and never a power of ten up to millions."""
    return number(value, ",.0f" if 99.95 <= abs(value) < 1e7 else ",.3g")
