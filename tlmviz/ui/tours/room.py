"""A tour's part in a class: what a visitor counts in the room that the link names, and how that room answered."""

from __future__ import annotations

import time
from collections.abc import Mapping
from html import escape

import streamlit as st

from tlmviz.errors import Error
from tlmviz.figures.written import number as written
from tlmviz.hosting.rooms import NoRoom, RoomBusy, normal, rooms

from .. import frame, link, markdown, visit
from ..components import tab
from .parts import Question, Tour

ROOM = link.Field("room", "", link.up_to(40))
VISITOR = "_room_visitor"  # session: the number of the browser tab, in place of a name
_KNOWN = "_room_known"  # session: the room, and the tour that it is on, as was found
_DONE = "_room_done"  # session: what was counted, (room, step, whether it is an answer)
_DUE = "_room_due"  # session: (room, step) -> the answer that was pressed
_REST = "_room_rest"  # session: until when a file that could not be reached is left alone
REST = 5.0  # seconds
_STYLE = """<style>
.room-answers {{ margin: 0.2em 0 0; display: grid; gap: 0.3em 0.6em; }}
.st-key-tour .room-answers {{ grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); font-size: 0.95rem; }}
.room-answers > div {{ position: relative; display: flex; justify-content: space-between; gap: 0.8em; margin: 0;
  padding: 0.1em 0.5em; border-radius: 0.25em; background: {grid}; overflow: hidden; font-size: 1em; line-height: 1.4; }}
.room-answers i {{ position: absolute; inset: 0 auto 0 0; background: {bar}; }}
.room-answers .right i {{ background: {right}; }}
.room-answers span {{ position: relative; }}
.room-answers .right span {{ font-weight: 600; }}
.room-answers span:last-child {{ white-space: nowrap; font-variant-numeric: tabular-nums; }}
.st-key-room-again {{ margin-top: 0.1rem; }}
</style>"""


def check(tour: Tour) -> None:
    """Say so where the link names a room that is none or on another tour; the tour goes on without it then."""
    code = ROOM.get()
    if not code or st.session_state.get(_KNOWN) == (code, tour.name):
        return
    try:
        on = rooms().tour(code, visit.address())
    except NoRoom as error:
        _leave(f"{error} The tour goes on without a room.")
    except RoomBusy as error:
        st.warning(frame.worded(error))
    else:
        if on != tour.name:
            _leave(f"Room {normal(code)} is on another tour; “{tour.title}” goes on without it.")
            return
        ROOM.keep(normal(code))
        st.session_state[_KNOWN] = normal(code), on


def code_of(tour: Tour) -> str:
    """The room in which this session has walked a tour; empty where in none."""
    code, on = st.session_state.get(_KNOWN, ("", ""))
    return code if on == tour.name else ""


def _leave(sentence: str) -> None:
    ROOM.set("")
    st.session_state.pop(_KNOWN, None)
    st.warning(markdown.sentence(sentence))


def press(step: int, answer: int) -> None:
    """Remember an answer that was pressed, to be counted."""
    if ROOM.get():
        st.session_state.setdefault(_DUE, {}).setdefault((ROOM.get(), step), answer)


@frame.fragment
def attend(step: int) -> None:
    """Count that this tab came to a step, and what it answered there; as soon as the browser has said which tab it is."""
    code = ROOM.get()
    if not code:
        return
    visitor = tab.number(st.session_state.get(VISITOR, ""))
    if not visitor:
        return
    st.session_state[VISITOR] = visitor
    done: set[tuple[str, int, bool]] = st.session_state.setdefault(_DONE, set())
    due: dict[tuple[str, int], int] = st.session_state.setdefault(_DUE, {})
    if st.session_state.get(_REST, 0.0) > time.monotonic():
        return
    try:
        if (code, step, False) not in done:
            rooms().visit(code, visitor, step)
            done.add((code, step, False))
        for room, at in [each for each in due if (*each, True) not in done]:
            rooms().answer(room, visitor, at, due[room, at])
            done.add((room, at, True))
    except NoRoom as error:
        _leave(f"{error} The tour goes on without a room.")
        due.clear()
    except RoomBusy as error:
        st.session_state[_REST] = time.monotonic() + REST
        st.warning(frame.worded(error))


@frame.fragment
def answers(step: int, question: Question, given: int, right: int) -> None:
    """How the room answered a question, for who has answered it."""
    if not ROOM.get():
        return
    try:
        found = rooms().answers(ROOM.get(), step)
    except Error as error:
        st.caption(frame.worded(error))
        return
    st.html(bars(question, found, right, given))
    st.button(
        "Count again",
        key="room-again",
        type="tertiary",
        icon=":material/refresh:",
        help="How the room has answered until now.",
    )


def bars(question: Question, counts: Mapping[int, int], right: int | None, given: int | None = None) -> str:
    """The answers to a question as bars of their shares, as HTML; `right` is marked, and what was `given` here."""
    colors, total = frame.theme(), sum(counts.get(each, 0) for each in range(len(question.answers)))
    dark = colors.name == "dark"
    style = _STYLE.format(
        grid="rgba(128, 140, 155, 0.14)",
        bar="rgba(128, 140, 155, 0.38)",
        right="rgba(70, 165, 105, 0.5)" if dark else "rgba(60, 170, 100, 0.42)",
    )
    rows = []
    for each, text in enumerate(question.answers):
        count = counts.get(each, 0)
        share = count / total if total else 0.0
        marks = ("✓ " if each == right else "") + escape(text) + (" (you)" if each == given else "")
        rows.append(
            f'<div role="listitem" class="{"right" if each == right else ""}"><i style="width: {100 * share:.1f}%"></i>'
            f"<span>{marks}</span><span>{count} · {written(share, '.0%')}</span></div>"
        )
    return f'{style}<div role="list" class="room-answers" aria-label="How the room answered, of {total}">{"".join(rows)}</div>'
