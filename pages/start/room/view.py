"""Draws the page Classroom: the two ways in, and the wall with the code, the steps and the answers of a room."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from html import escape
from urllib.parse import urlencode, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import segno
import streamlit as st

from pages import HOME
from tlmviz.errors import Error
from tlmviz.hosting.rooms import Counts, NoRoom, normal, rooms
from tlmviz.ui import frame
from tlmviz.ui.tours import bar, room
from tlmviz.ui.tours.parts import Step, Tour
from tlmviz.ui.tours.table import TOURS

from . import controls, words
from .controls import Choice
from .style import STYLE

PATH = "room"
EXPLORER = HOME.rpartition("/")[2]
EVERY = 2.0  # seconds between two looks of the wall


def claim(choice: Choice) -> str:
    """What the page is about: in a room, its tour."""
    try:
        return TOURS[rooms().tour(choice.code)].title if choice.secret else words.CLAIM
    except Error:
        return words.CLAIM


def said() -> None:
    """What the last press has to say."""
    if sentence := st.session_state.pop(controls.SAID, ""):
        st.info(sentence.replace("$", r"\$"))


def ways_in() -> None:
    """For a teacher the tours, for a student the box for a code."""
    st.html(STYLE)
    teacher, student = st.columns([0.6, 0.4], gap="large")
    with teacher:
        st.markdown(f"### {words.TEACHER}\n{words.TEACHER_HOW}")
        chosen = controls.tour()
        controls.open_button(chosen)
        asked = [step.question.asks for step in chosen.steps if step.question]
        st.markdown(
            f"*{chosen.says}* {words.tour(len(chosen.steps), len(asked), chosen.minutes)}\n\n"
            + "\n".join(f"- {question}" for question in asked)
        )
    with student:
        st.markdown(f"### {words.STUDENT}\n{words.STUDENT_HOW}")
        _join(controls.code())


@frame.saying_errors
def _join(code: str) -> None:
    """The link into the room of a code."""
    if code:
        tour = TOURS[rooms().tour(code)]
        href = bar.joining(tour, EXPLORER, normal(code))
        st.html(
            f'<a class="room-join" data-card="step" href="{escape(href)}">{escape(words.begin(tour.title))}</a>'
        )


def opened(choice: Choice) -> Counts | None:
    """What the room of a teacher's link has counted; where it cannot be shown, why."""
    if not choice.secret:
        return None
    try:
        return rooms().counts(choice.code, choice.secret)
    except Error as error:
        st.error(str(error))
        return None


def wall(choice: Choice, counts: Counts) -> None:
    """The teacher's view: the code, and live beside and below it who is there and every step."""
    st.html(STYLE)
    with st.container(horizontal=True, vertical_alignment="center", key="roomtools"):
        st.session_state.setdefault(
            "roomlarge", not counts.visitors
        )  # decided once: it stays while they come
        large = st.toggle(words.ON_WALL, key="roomlarge", help=words.ON_WALL_HELP)
        asked = {number for number, step in enumerate(TOURS[counts.tour].steps, 1) if step.question}
        controls.reveal_button(choice, "revealall", words.REVEAL_ALL, frozenset(asked))
        controls.reveal_button(choice, "hideall", words.HIDE_ALL, frozenset())
        with st.popover(words.YOUR_LINK):
            own = {controls.CODE.key: normal(choice.code), controls.SECRET.key: choice.secret}
            st.markdown(words.YOUR_LINK_SAYS)
            st.code(f"{_base()}{PATH}?{urlencode(own)}", language=None, wrap_lines=True)
            st.markdown(f"[{words.WALL}]({PATH}?{urlencode({**own, 'embed': 'true'})})")
        with st.popover(words.END):
            st.markdown(words.END_SAYS)
            controls.end_button(choice)
    with st.container(horizontal=not large, vertical_alignment="center", key="roomhead"):
        _code(normal(choice.code), large)
        present(choice)
    if not large:
        steps(choice)


def _base() -> str:
    """The app's own address with a final slash, as this browser opened it."""
    address = (st.context.url or "http://localhost:8501").rstrip("/")
    return address.removesuffix(f"/{PATH}") + "/"


def _code(code: str, large: bool) -> None:
    """The code, the link, and the link as a square to scan."""
    address = f"{_base()}join/{code}"
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.startswith("127."):
        st.info(words.LOCAL.format(host=host))
    square = segno.make(address, error="m", micro=False).svg_data_uri(border=3, dark="#000", light="#fff")
    st.html(
        f'<div class="room-code {"large" if large else ""}"><img src="{square}" alt="{escape(words.SCAN.format(link=address))}">'
        f"<p><small>{words.ADDRESS}</small><b>{code[:3]} {code[3:]}</b>"
        f'<span class="room-link">{escape(address.partition("://")[2])}</span></p></div>'
    )


def _now(choice: Choice) -> Counts:
    """What the room has counted by now; where it has ended, the whole page says so."""
    try:
        return rooms().counts(choice.code, choice.secret)
    except NoRoom:
        st.rerun()


@partial(frame.fragment, every=EVERY)
def present(choice: Choice) -> None:
    """How many are there, again and again while the page is open."""
    counts = _now(choice)
    st.html(
        f'<p class="room-visitors"><b>{counts.visitors}</b> {words.VISITORS}<br>{words.ends(_when(counts.ends))}</p>'
    )


@partial(frame.fragment, every=EVERY)
def steps(choice: Choice) -> None:
    """Every step with its visitors and its question, again and again while the page is open."""
    counts = _now(choice)
    said()
    tour = TOURS[counts.tour]
    with st.container(key="roomsteps"):
        for number, step in enumerate(tour.steps, 1):
            with st.container(key=f"roomstep{number}"):
                _step(choice, counts, tour, number, step)


def _step(choice: Choice, counts: Counts, tour: Tour, number: int, step: Step) -> None:
    """One step: who is there, who is further, and its question, open or revealed."""
    here, further = counts.here.get(number, 0), counts.passed(number)
    total = max(counts.visitors, 1)
    meter = "".join(
        f'<i class="{name}" style="width: {100 * count / total:.1f}%"></i>'
        for name, count in (("further", further), ("here", here))
    )
    st.html(
        f'<div class="room-step"><h3><b>{number}</b> {escape(step.title)}</h3>'
        f'<p><i class="here"></i>{words.here(here)} <i class="further"></i>{words.further(further)}</p>'
        f'<div class="room-meter" aria-hidden="true">{meter}</div></div>'
    )
    if step.question is None:
        return
    shown, given = number in counts.revealed, counts.answered(number)
    said = f"<p><em>{escape(step.question.asks)}</em></p>"
    if shown:
        right = bar.measured(tour.name, number).answer
        said += room.bars(step.question, counts.answers.get(number, {}), right)
    st.html(f'<div class="room-question">{said}</div>')
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        label, steps = (
            (words.HIDE, counts.revealed - {number}) if shown else (words.REVEAL, counts.revealed | {number})
        )
        controls.reveal_button(choice, f"reveal{number}", label, steps)
        st.html(f'<p class="room-answered">{words.answered(given)}</p>')


def _when(ends: float) -> str:
    """A moment as the clock of this browser says it."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return f"{datetime.fromtimestamp(ends, zone):%A %H:%M}"
