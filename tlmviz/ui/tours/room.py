"""A tour's part in a class: what a visitor counts in the room that the link names, how it stands, and how it answered."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from tlmviz.figures.written import number as written
from tlmviz.hosting.rooms import NoRoom, RoomBusy, Standing, normal, rooms

from .. import frame, link, markdown, visit
from ..components import tab
from ..language import _
from . import asked
from .parts import Question, Tour

ROOM = link.Field("room", "", link.up_to(40))
VISITOR = "_room_visitor"  # session: the number of the browser tab, in place of a name
_KNOWN = "_room_known"  # session: the room, and the tour that it is on
_DONE = "_room_done"  # session: what was counted, (room, step, the vote of an answer or 0 for the visit)
_DUE = "_room_due"  # session: (room, step, vote) -> the answer that was pressed
_STANDS = "_room_stands"  # session: (room, step), and how that room stood there when it could be asked last
_SAID = "_room_left"  # session: why the room was left, for the next run to say
_REST = "_room_rest"  # session: until when a file that could not be reached is left alone, and why
REST = 5.0  # seconds
EVERY = 4.0  # seconds between two looks of a tab at its room, each about 10 ms of the server
_STYLE = """<style>
.room-answers {{ margin: 0.2em 0 0; display: grid; gap: 0.3em 0.6em; }}
.st-key-tour .room-answers {{ grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); font-size: 0.95rem; }}
.room-answers > div {{ position: relative; display: flex; justify-content: space-between; gap: 0.8em; margin: 0;
  padding: 0.1em 0.5em; border-radius: 0.25em; background: {grid}; overflow: hidden; font-size: 1em; line-height: 1.4; }}
.room-answers i {{ position: absolute; inset: 0 auto 0 0; background: {bar}; }}
.room-answers.two > div {{ padding-bottom: 0.75em; }}
.room-answers.two i {{ top: auto; height: 0.3em; background: rgba(128, 140, 155, 0.9); }}
.room-answers.two .right i {{ background: rgba(60, 165, 100, 0.95); }}
.room-answers.two i:first-of-type {{ bottom: 0.4em; opacity: 0.55; }}
.room-order {{ margin: 0.3em 0 0; font-size: 0.9em; opacity: 0.85; text-align: right; }}
.room-answers .right i {{ background: {right}; }}
.room-answers span {{ position: relative; }}
.room-answers .right span {{ font-weight: 600; }}
.room-answers span:last-child {{ white-space: nowrap; font-variant-numeric: tabular-nums; }}
</style>"""


def check(tour: Tour) -> None:
    """Say so where the link names a room that is none or on another tour; the tour goes on without it then."""
    _look(tour)
    if said := st.session_state.pop(_SAID, ""):
        st.warning(markdown.sentence(f"{said} {_('“{title}” goes on without a room.', title=tour.title)}"))


def _look(tour: Tour) -> None:
    code = ROOM.get()
    on = _tour_of(code) if code and code_of(tour) != code else None
    if on is not None and on.name != tour.name:
        _leave(_("Room {code} is on another tour.", code=normal(code)))


def _tour_of(code: str) -> Tour | None:
    """The tour that a room is on; None where it cannot be asked, and where it is none, which the next run says."""
    known: tuple[str, Tour | None] = st.session_state.get(_KNOWN, ("", None))
    if known[0] == code:
        return known[1]
    try:
        on = asked.of_room(rooms().tour(code, visit.address()))
    except NoRoom as error:
        _leave(frame.worded(error))
        return None
    except RoomBusy as error:
        st.warning(frame.worded(error))
        return None
    ROOM.keep(normal(code))
    st.session_state[_KNOWN] = normal(code), on
    return on


def own() -> Tour | None:
    """The teacher's own question that is asked in the room of the link; None, and a sentence, where there is none."""
    code = ROOM.get()
    on = _tour_of(code) if code else None
    if on is not None and on.name == asked.OWN:
        return on
    if said := st.session_state.pop(_SAID, ""):
        st.warning(markdown.sentence(said))
    elif on is not None or not code:
        st.warning(
            _("A question of a teacher's own is asked in a room; type the room's code on the page Classroom.")
        )
    return None


def code_of(tour: Tour) -> str:
    """The room in which this session has walked a tour; empty where in none."""
    code, on = st.session_state.get(_KNOWN, ("", None))
    return code if on is not None and on.name == tour.name else ""


def _leave(sentence: str) -> None:
    ROOM.set("")
    st.session_state.pop(_KNOWN, None)
    st.session_state[_SAID] = sentence


def press(step: int, answer: int, vote: int) -> None:
    """Remember an answer that was pressed in a vote, to be counted."""
    if ROOM.get():
        st.session_state.setdefault(_DUE, {}).setdefault((ROOM.get(), step, vote), answer)


def attend(step: int) -> Standing:
    """Count that this tab came to a step, and what it answered there, and say how the room stands.

    The tab is counted as soon as the browser has said which one it is. Where the room cannot be asked, it stands as it did.
    """
    code = ROOM.get()
    if not code:
        return Standing()
    visitor = tab.number(st.session_state.get(VISITOR, ""))
    st.session_state[VISITOR] = visitor
    known: tuple[object, Standing] = st.session_state.get(_STANDS, (None, Standing()))
    found = known[1] if known[0] == (code, step) else Standing()
    until, why = st.session_state.get(_REST, (0.0, ""))
    if until > time.monotonic():
        st.warning(why)
        return found
    try:
        found = rooms().standing(code, step, visitor)
        if visitor and not found.before(step) and _count(code, step, visitor):
            found = rooms().standing(code, step, visitor)
    except NoRoom as error:
        st.session_state.pop(_DUE, None)
        _leave(frame.worded(error))
        st.rerun()
    except RoomBusy as error:
        st.session_state[_REST] = time.monotonic() + REST, frame.worded(error)
        st.warning(frame.worded(error))
    pressed = (code, step, found.vote) in st.session_state.get(_DUE, {})
    found = replace(found, voted=found.voted or pressed or not visitor)
    st.session_state[_STANDS] = (code, step), found
    return found


def _count(code: str, step: int, visitor: str) -> bool:
    """Count what was not counted yet; whether there was anything."""
    done: set[tuple[str, int, int]] = st.session_state.setdefault(_DONE, set())
    due: dict[tuple[str, int, int], int] = st.session_state.setdefault(_DUE, {})
    before = len(done)
    if (code, step, 0) not in done:
        rooms().visit(code, visitor, step)
        done.add((code, step, 0))
    for each in [each for each in due if each not in done]:
        room, at, vote = each
        rooms().answer(room, visitor, at, due[each], vote)
        done.add(each)
    return len(done) > before


def held(standing: Standing) -> str:
    """Why there is no way on, as HTML."""
    said = _("Your teacher holds the room at step {step}.", step=standing.held)
    return f'<p class="tour-held">{escape(said)}</p>'


def bars(
    question: Question, votes: Sequence[Mapping[int, int]], right: int | None, given: int | None = None
) -> str:
    """The answers to a question as bars of their shares in one vote or two, as HTML; `right` and what was `given` are marked."""
    dark = frame.theme().name == "dark"
    style = _STYLE.format(
        grid="rgba(128, 140, 155, 0.14)",
        bar="rgba(128, 140, 155, 0.38)",
        right="rgba(70, 165, 105, 0.5)" if dark else "rgba(60, 170, 100, 0.42)",
    )
    totals = [sum(counts.values()) for counts in votes]
    rows = []
    for each, text in enumerate(question.answers):
        counts = [vote.get(each, 0) for vote in votes]
        shares = [count / total if total else 0.0 for count, total in zip(counts, totals, strict=True)]
        drawn = "".join(f'<i style="width: {100 * share:.1f}%"></i>' for share in shares)
        figures = " → ".join(
            f"{count} · {written(share, '.0%')}" for count, share in zip(counts, shares, strict=True)
        )
        marks = ("✓ " if each == right else "") + escape(text) + (" (you)" if each == given else "")
        rows.append(
            f'<div role="listitem" class="{"right" if each == right else ""}">{drawn}'
            f"<span>{marks}</span><span>{figures}</span></div>"
        )
    if len(votes) == 1:
        two, said, order = "", f"How the room answered, of {totals[0]}", ""
    else:
        two, said = " two", _(
            "How the room answered, of {first} in the first vote and {second} in the second",
            first=totals[0], second=totals[1],
        )  # fmt: skip
        order = f'<p class="room-order">{escape(_("first vote → second vote"))}</p>'
    return f'{style}<div role="list" class="room-answers{two}" aria-label="{escape(said)}">{"".join(rows)}</div>{order}'
