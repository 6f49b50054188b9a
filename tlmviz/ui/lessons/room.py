"""A lesson in a class: what a browser tab counts in the room that the link names, and how that room stands at its
scene."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from tlmviz.hosting.rooms import ANSWERS, STEPS, NoRoom, RoomBusy, Standing, normal, rooms

from .. import frame, link, visit
from ..components import lesson as component
from ..handoff import address
from ..language import _
from . import asked
from .asked import Taken

ROOM = link.Field("room", "", link.up_to(40))
WALL = link.Field("wall", 0, link.whole(0, 1))  # whether the room is looked at by all
_KNOWN = "_room_known"  # session: the code that the link names, and what its room is on
_DONE = "_room_done"  # session: what was counted: (room, scene, the vote of an answer or 0 for the visit)
_REST = "_room_rest"  # session: until when a file that could not be reached is left alone, and why
REST = 5.0  # seconds
EVERY = 4.0  # seconds between two looks of a tab at its room, each about 10 ms of the server
_NUMBER = re.compile("[0-9a-f]{32}")
_VOTE = re.compile(r"([1-9]\d?)\.([12])")  # a scene and which vote on it


def to(taken: Taken, code: str, scene: int = 1, wall: bool = False) -> str:
    """The link of a scene of what a room is on, for its students or for its wall."""
    query = (
        {"lesson": taken.name, ROOM.key: code}
        | ({"scene": str(scene)} if scene > 1 else {})
        | ({WALL.key: "1"} if wall else {})
    )
    return address("lessons", "", query)


def here(name: str) -> tuple[Taken | None, str]:
    """What the room of the link is on, where that is the lesson of this name; else None, and a sentence where a room is
    named."""
    code = ROOM.get()
    if not code:
        return None, ""
    known: tuple[str, Taken | None] = st.session_state.get(_KNOWN, ("", None))
    try:
        on = known[1] if known[0] == code else asked.of_room(rooms().lesson(code, visit.address()))
        if on is None or on.name != name:
            raise NoRoom("Room {code} is on another lesson.", code=normal(code))
    except RoomBusy:
        return asked.named(name), ""  # the room is asked again, and says why it waits
    except NoRoom as error:
        ROOM.keep("")
        return None, f"{frame.worded(error)} {_('The lesson goes on without a room.')}"
    ROOM.keep(normal(code))
    st.session_state[_KNOWN] = normal(code), on
    return on, ""


@partial(frame.fragment, every=EVERY, writes=False)
def attend(wall: bool) -> None:
    """Count where this tab is and what it answered, as soon as the browser says so, and tell it how the room stands
    there.

    On a `wall`, which counts nothing, only what its teacher has revealed is told.
    """
    said = component.said()
    scene, visitor = said.get("scene"), str(said.get("visitor"))
    stands: dict[str, Any] = {"scene": 0, "note": ""}
    until, why = st.session_state.get(_REST, (0.0, ""))
    if until > time.monotonic():
        stands["note"] = why
    elif isinstance(scene, int) and 1 <= scene <= STEPS and _NUMBER.fullmatch(visitor):
        try:
            standing = rooms().standing(ROOM.get(), scene, visitor)
            if not wall and not standing.before(scene) and _count(said, visitor):
                standing = rooms().standing(ROOM.get(), scene, visitor)
            stands = {"scene": scene, "note": "", **_told(standing, wall)}
        except NoRoom as error:
            stands = {"scene": scene, "note": frame.worded(error), "ended": True}
        except RoomBusy as error:
            st.session_state[_REST] = time.monotonic() + REST, frame.worded(error)
            stands["note"] = frame.worded(error)
    component.room(stands)


def _told(standing: Standing, wall: bool) -> dict[str, Any]:
    """How a room stands, as the browser has it."""
    shown = standing.revealed if wall else standing.shown
    votes = [dict(vote) for vote in standing.votes] if shown else []
    return {**asdict(standing), "again": standing.again, "shown": shown, "votes": votes}


def _count(said: Mapping[str, Any], visitor: str) -> bool:
    """Count what was not counted yet; whether there was anything."""
    code, scene = ROOM.get(), said["scene"]
    done: set[tuple[str, int, int]] = st.session_state.setdefault(_DONE, set())
    before = len(done)
    if (code, scene, 0) not in done:
        rooms().visit(code, visitor, scene)
        done.add((code, scene, 0))
    answers = said.get("answers")
    for key, answer in answers.items() if isinstance(answers, Mapping) else ():
        vote_at = _VOTE.fullmatch(str(key))
        if vote_at is None or not (isinstance(answer, int) and 0 <= answer < ANSWERS):
            continue
        at, vote = int(vote_at[1]), int(vote_at[2])
        if at <= STEPS and (code, at, vote) not in done:
            rooms().answer(code, visitor, at, answer, vote)
            done.add((code, at, vote))
    return len(done) > before
