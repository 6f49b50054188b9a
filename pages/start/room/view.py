"""Draws the page Classroom: the two ways in, and the wall with the code, the steps and the answers of a room."""

from __future__ import annotations

from collections.abc import Callable
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
from tlmviz.ui import frame, markdown, visit
from tlmviz.ui.components import url_fragment
from tlmviz.ui.language import _, ngettext
from tlmviz.ui.tours import bar, room
from tlmviz.ui.tours.parts import Step, Tour
from tlmviz.ui.tours.table import TOURS

from .state import LONGEST, Room
from .style import STYLE

PATH = "room"
EXPLORER = HOME.rpartition("/")[2]
SAID = "_room_said"  # session: a sentence that the next run shows
ENDED = "_room_ended"  # session: that its room was ended here, whose secret the address is to forget
EVERY = 2.0  # seconds between two looks of the wall


def secret(chosen: Room) -> None:
    """Have the browser keep the teacher's secret behind the # of its address, and tell it where it came with it."""
    value = chosen.secret or ("" if st.session_state.get(ENDED) else None)
    url_fragment.keep(Room.secret.key, value, lambda told: Room.secret.set(told[:LONGEST]))


def said() -> None:
    """What the last press has to say."""
    if sentence := st.session_state.pop(SAID, ""):
        st.info(markdown.sentence(sentence))


def ways_in(chosen: Room) -> None:
    """For a teacher the tours, for a student the box for a code."""
    st.html(STYLE)
    teacher, student = st.columns([0.6, 0.4], gap="large")
    with teacher:
        st.subheader(_("For a teacher"), anchor=False)
        st.markdown(
            _(
                "Choose a tour and open a room. You get a code for your students, and a page for the wall that shows "
                "their counts."
            )
        )
        tour = TOURS[Room.tour.draw()]
        st.button(_("Open a room"), key="roomopen", on_click=_open, args=(tour.name,))
        asked = [step.question.asks for step in tour.steps if step.question]
        long = _(
            "{steps} steps, {questions} questions, about {minutes} minutes. It asks:",
            steps=len(tour.steps), questions=len(asked), minutes=tour.minutes,
        )  # fmt: skip
        st.markdown(f"*{tour.says}* {long}\n\n" + "\n".join(f"- {question}" for question in asked))
    with student:
        st.subheader(_("For a student"), anchor=False)
        st.markdown(_("Type the code on the wall, or scan the QR code beside it."))
        Room.code.draw()
        _join("" if chosen.secret else chosen.code.strip())  # of a teacher's link it was said above


def notice() -> tuple[str, ...]:
    """What is kept of a room, and how it is counted."""
    return (
        _(
            "Counts are kept: how many came to a step, how many gave an answer; and marks that name nobody, so that none counts "
            "twice. No names, no accounts, no addresses. A room ends after a day, and all of this with it."
        ),
        _(
            "“Here” are those who came to a step and not further, also those who have closed their tab since. A new tab counts "
            "as a new visitor, a reloaded one does not."
        ),
        _(
            "The first answer counts. A student sees how the room answered after answering; the wall shows it when you reveal it."
        ),
    )


def _open(tour: str) -> None:
    """Callback: open a room, and lead to its wall."""
    try:
        opened = rooms().open_room(tour, visit.address())
    except Error as error:
        st.session_state[SAID] = str(error)
        return
    Room.code.set(opened.code)
    Room.secret.set(opened.secret)
    st.session_state[ENDED] = False


def _reveal_button(chosen: Room, key: str, label: str, steps: frozenset[int]) -> None:
    """A button behind which the wall shows these questions' answers and no others."""
    st.button(label, key=key, on_click=_try, args=(rooms().reveal, chosen.code, chosen.secret, steps))


def _end(chosen: Room) -> None:
    """Callback: the room ends, and the page is left for its two ways in."""
    if _try(rooms().end, chosen.code, chosen.secret):
        st.session_state[SAID] = _("The room is ended, and its counts are deleted.")
        Room.code.set("")
        Room.secret.set("")
        st.session_state[ENDED] = True


def _try(call: Callable[..., object], *arguments: object) -> bool:
    """Call; where it cannot be, the next run says why."""
    try:
        call(*arguments)
    except Error as error:
        st.session_state[SAID] = str(error)
        return False
    return True


@frame.saying_errors
def _join(code: str) -> None:
    """The link into the room of a code."""
    if code:
        tour = TOURS[rooms().tour(code, visit.address())]
        href = bar.joining(tour, EXPLORER, normal(code))
        begin = escape(_("Begin “{title}”", title=tour.title))
        st.html(f'<a class="room-join" data-card="step" href="{escape(href)}">{begin}</a>')


def opened(chosen: Room) -> Counts | None:
    """What the room of a teacher's link has counted; where it cannot be shown, why."""
    if not chosen.secret:
        return None
    try:
        return rooms().counts(chosen.code, chosen.secret, visit.address())
    except Error as error:
        st.error(frame.worded(error))
        return None


def wall(chosen: Room, counts: Counts) -> None:
    """The teacher's view: the code, and live beside and below it who is there and every step."""
    st.html(STYLE)
    with st.container(key="claim"):
        st.markdown(f"**{TOURS[counts.tour].title}**")
    with st.container(horizontal=True, vertical_alignment="center", key="roomtools"):
        st.session_state.setdefault(
            "roomlarge", not counts.visitors
        )  # decided once: it stays while they come
        large = st.toggle(
            _("Show the code large"),
            key="roomlarge",
            help=_(
                "For the whole wall, so that it can be scanned from the last row. The steps come back when you switch it off."
            ),
        )
        asked = {number for number, step in enumerate(TOURS[counts.tour].steps, 1) if step.question}
        _reveal_button(chosen, "revealall", _("Reveal all"), frozenset(asked))
        _reveal_button(chosen, "hideall", _("Hide all"), frozenset())
        with st.popover(_("Your link")):
            code, own = {Room.code.key: normal(chosen.code)}, urlencode({Room.secret.key: chosen.secret})
            st.markdown(
                _(
                    "The address of this page is your link: who has it sees the counts, reveals answers and ends the room. Keep "
                    "it, and show the wall in full screen (F11) so that nobody reads it there."
                )
            )
            st.code(f"{_base()}{PATH}?{urlencode(code)}#{own}", language=None, wrap_lines=True)
            st.markdown(
                f"[{_('The wall without menus')}]({PATH}?{urlencode({**code, 'embed': 'true'})}#{own})"
            )
        with st.popover(_("End the room")):
            st.markdown(
                _(
                    "The room ends for everybody, and its counts are deleted now. The students' tours go on without it."
                )
            )
            st.button(_("End it and delete the counts"), key="roomend", on_click=_end, args=(chosen,))
    with st.container(horizontal=not large, vertical_alignment="center", key="roomhead"):
        _code(normal(chosen.code), large)
        present(chosen)
    if not large:
        steps(chosen)


def _base() -> str:
    """The app's own address with a final slash, as this browser opened it."""
    address = (st.context.url or "http://localhost:8501").rstrip("/")
    return address.removesuffix(f"/{PATH}") + "/"


def _code(code: str, large: bool) -> None:
    """The code, the link, and the link as a square to scan."""
    address = f"{_base()}join/{code}"
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.startswith("127."):
        st.info(
            _(
                "This page was opened as {host}, which no other machine reaches. Open it by the name or address under which "
                "students reach this server, and the link below follows.",
                host=host,
            )
        )
    square = segno.make(address, error="m", micro=False).svg_data_uri(border=3, dark="#000", light="#fff")
    alt = escape(_("The link {link} as a square to scan", link=address))
    students_open = _("Students open")
    st.html(
        f'<div class="room-code {"large" if large else ""}"><img src="{square}" alt="{alt}">'
        f"<p><small>{students_open}</small><b>{code[:3]} {code[3:]}</b>"
        f'<span class="room-link">{escape(address.partition("://")[2])}</span></p></div>'
    )


def _now(chosen: Room) -> Counts:
    """What the room has counted by now; where it has ended, the whole page says so."""
    try:
        return rooms().counts(chosen.code, chosen.secret)
    except NoRoom:
        st.rerun()


@partial(frame.fragment, every=EVERY)
def present(chosen: Room) -> None:
    """How many are there, again and again while the page is open."""
    counts = _now(chosen)
    inside, ends = _("in the room"), _("Ends {when}", when=_when(counts.ends))
    st.html(f'<p class="room-visitors"><b>{counts.visitors}</b> {inside}<br>{ends}</p>')


@partial(frame.fragment, every=EVERY)
def steps(chosen: Room) -> None:
    """Every step with its visitors and its question, again and again while the page is open."""
    counts = _now(chosen)
    said()
    tour = TOURS[counts.tour]
    with st.container(key="roomsteps"):
        for number, step in enumerate(tour.steps, 1):
            with st.container(key=f"roomstep{number}"):
                _step(chosen, counts, tour, number, step)


def _step(chosen: Room, counts: Counts, tour: Tour, number: int, step: Step) -> None:
    """One step: who is there, who is further, and its question, open or revealed."""
    here, further = counts.here.get(number, 0), counts.passed(number)
    at_it, beyond = _("{n} here", n=here), _("{n} further", n=further)
    total = max(counts.visitors, 1)
    meter = "".join(
        f'<i class="{name}" style="width: {100 * count / total:.1f}%"></i>'
        for name, count in (("further", further), ("here", here))
    )
    st.html(
        f'<div class="room-step"><h3><b>{number}</b> {escape(step.title)}</h3>'
        f'<p><i class="here"></i>{at_it} <i class="further"></i>{beyond}</p>'
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
            (_("Hide"), counts.revealed - {number}) if shown else (_("Reveal"), counts.revealed | {number})
        )
        _reveal_button(chosen, f"reveal{number}", label, steps)
        answers = ngettext("{n} answer", "{n} answers", given) if given else _("No answer yet")
        st.html(f'<p class="room-answered">{answers}</p>')


def _when(ends: float) -> str:
    """A moment as the clock of this browser says it."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return f"{datetime.fromtimestamp(ends, zone):%A %H:%M}"
