"""What the page Classroom is asked for: a tour to open a room on, or a room by its code, and its teacher's secret."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.errors import Error
from tlmviz.hosting.rooms import rooms
from tlmviz.ui import link
from tlmviz.ui.tours.parts import Tour
from tlmviz.ui.tours.table import TOURS

from . import words

CODE = link.Field("code", "", link.up_to(40))
SECRET = link.Field("teach", "", link.up_to(80))
SAID = "_room_said"  # session: a sentence that the next run shows


@dataclass(frozen=True)
class Choice:
    """A room's code and its teacher's secret, as the link has them; each empty where it has none."""

    code: str
    secret: str


def choose() -> Choice:
    """What the link asks for."""
    for field in (CODE, SECRET):
        field.share()
    return Choice(CODE.get().strip(), SECRET.get())


def tour() -> Tour:
    """The menu of tours; its choice is in the link."""
    name = link.menu(st, "Tour", list(TOURS), "rtour", show=lambda name: TOURS[name].title)
    return TOURS[name]


def open_button(chosen: Tour) -> None:
    """The button that opens a room and leads to its wall."""
    st.button(words.OPEN, key="roomopen", on_click=_open, args=(chosen.name,))


def _open(tour: str) -> None:
    try:
        opened = rooms().open_room(tour)
    except Error as error:
        st.session_state[SAID] = str(error)
        return
    CODE.set(opened.code)
    SECRET.set(opened.secret)


def code() -> str:
    """The box for a code."""
    st.session_state["_code"] = CODE.get()
    st.text_input(
        words.CODE,
        key="_code",
        max_chars=20,
        on_change=lambda: CODE.set(st.session_state["_code"]),
        placeholder="K7P C4M",
    )
    return CODE.get().strip()


def reveal_button(choice: Choice, key: str, label: str, steps: frozenset[int]) -> None:
    """A button behind which the wall shows these questions' answers and no others."""
    st.button(label, key=key, on_click=_try, args=(rooms().reveal, choice.code, choice.secret, steps))


def end_button(choice: Choice) -> None:
    """The button that ends the room."""
    st.button(words.END_NOW, key="roomend", on_click=_end, args=(choice,))


def _end(choice: Choice) -> None:
    if _try(rooms().end, choice.code, choice.secret):
        st.session_state[SAID] = words.ENDED
        CODE.set("")
        SECRET.set("")


def _try(call, *arguments) -> bool:
    """Call; where it cannot be, the next run says why."""
    try:
        call(*arguments)
    except Error as error:
        st.session_state[SAID] = str(error)
        return False
    return True
