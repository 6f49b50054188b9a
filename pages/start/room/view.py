"""Draws the page Classroom: the two ways in, and the wall with the code, the scenes and the answers of a room."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import segno
import streamlit as st

from tlmviz.errors import Error
from tlmviz.figures.written import number
from tlmviz.hosting.rooms import Counts, NoRoom, normal, rooms
from tlmviz.ui import frame, markdown, visit
from tlmviz.ui.components import fullscreen, url_fragment
from tlmviz.ui.language import _, ngettext
from tlmviz.ui.lessons import asked, room, runner
from tlmviz.ui.lessons.asked import Taken
from tlmviz.ui.lessons.table import LESSONS

from .state import LONGEST, Room
from .style import STYLE

PATH = "room"
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
    """For a teacher the lessons, for a student the box for a code."""
    st.html(STYLE)
    teacher, student = st.columns([0.6, 0.4], gap="large")
    with teacher:
        st.subheader(_("For a teacher"), anchor=False)
        st.markdown(
            _(
                "Choose a lesson and open a room. You get a code for your students, and a page for the wall that shows "
                "their counts."
            )
        )
        taken = Taken(name := Room.lesson.draw(), LESSONS[name])
        absent = runner.absent(taken.lesson)
        if absent is None:
            _offered(taken)
        else:
            st.info(frame.worded(absent))
    with student:
        st.subheader(_("For a student"), anchor=False)
        st.markdown(_("Type the code on the wall, or scan the QR code beside it."))
        Room.code.draw()
        _join("" if chosen.secret else chosen.code.strip())  # of a teacher's link it was said above


def _offered(taken: Taken) -> None:
    """A lesson to open a room on, with what it asks; one of its questions alone, or one of the teacher's own."""
    st.button(_("Open a room"), key="roomopen", on_click=_open, args=(taken.name,))
    scenes = _scenes(taken)
    questions = {number: _plain(scene["says"]) for number, scene in scenes.items() if scene["answers"]}
    count = {"scenes": len(scenes), "questions": len(questions)}
    long = _("{scenes} scenes, {questions} questions, about five minutes. It asks:", **count)
    listed = "\n".join(f"- {markdown.plain(each)}" for each in questions.values())
    st.markdown(f"*{_(taken.lesson.says)}* {long}\n\n{listed}")
    with st.container(horizontal=True):
        _one_question(taken, questions)
        _own_question()


def _scenes(taken: Taken) -> dict[int, dict[str, Any]]:
    """The scenes of what a room is on, from 1, as the browser has them."""
    return dict(enumerate(runner.payload(taken.lesson, alone=taken.alone, room="-")["scenes"], 1))


def _plain(says: str) -> str:
    """What a scene says, without the stars of its bold words."""
    return says.replace("**", "")


def _one_question(taken: Taken, questions: Mapping[int, str]) -> None:
    """Each question of a lesson, to be asked without the lesson."""
    with st.popover(_("Ask one of them alone")):
        for number, asks in questions.items():
            st.button(asks, key=f"roomone{number}", on_click=_open, args=(asked.alone(taken.lesson, number),))


def _own_question() -> None:
    """The fields of a question of the teacher's own."""
    with st.popover(_("Ask a question of your own")), st.form("roomown", border=False):
        st.markdown(
            _(
                "Open the page that your question is about, set it as students shall see it, and copy its address. "
                "They see it with your question below."
            )
        )
        st.text_input(_("Link of the page"), key="ownlink", max_chars=asked.LINK, placeholder="/explorer?head=5.4")
        st.text_input(_("Your question"), key="ownasks", max_chars=asked.ASKS)
        for number in range(1, asked.MOST + 1):
            label = _("Answer {n}", n=number) if number <= asked.FEWEST else _("Answer {n}, or empty", n=number)
            st.text_input(label, key=f"ownanswer{number}", max_chars=asked.ANSWER)
        st.selectbox(
            _("The right one"),
            range(asked.MOST + 1),
            key="ownright",
            format_func=lambda number: _("Answer {n}", n=number) if number else _("I do not say"),
        )
        st.form_submit_button(_("Open a room on it"), on_click=_open_own)


def _open_own() -> None:
    """Callback: open a room on the question of the form; where something is missing, the next run says what."""
    given = st.session_state
    answers = [given[f"ownanswer{number}"] for number in range(1, asked.MOST + 1)]
    try:
        kept = asked.own(
            given["ownlink"], given["ownasks"], answers, given["ownright"] - 1 if given["ownright"] else None
        )
    except Error as error:
        st.session_state[SAID] = str(error)
    else:
        _open(kept)


def notice() -> tuple[str, ...]:
    """What is kept of a room, and how it is counted."""
    return (
        _(
            "Counts are kept: how many came to a scene, how many gave an answer; and marks that name nobody, so that "
            "none counts twice. No names, no accounts, no addresses. A room ends after a day, and all of this, a "
            "question of your own too, with it."
        ),
        _(
            "“Here” are those who came to a scene and not further, also those who have closed their tab since. A new "
            "tab counts as a new visitor, a reloaded one does not."
        ),
        _(
            "The first answer counts. A student sees how the room answered after answering, or, with “Results when I "
            "reveal”, when you reveal it, as the wall does."
        ),
        _(
            "To discuss a question, hold the room at its scene and let it vote again: the second answers are counted "
            "beside the first, and none is judged in between."
        ),
    )


def _open(on: str) -> None:
    """Callback: open a room, and lead to its wall."""
    try:
        opened = rooms().open_room(on, visit.address())
    except Error as error:
        st.session_state[SAID] = str(error)
        return
    Room.code.set(opened.code)
    Room.secret.set(opened.secret)
    st.session_state[ENDED] = False


def _button(chosen: Room, key: str, label: str, call: Callable[..., object], *arguments: object, **more: str) -> None:
    """A button of the teacher's that has the room do something."""
    st.button(label, key=key, on_click=_try, args=(call, chosen.code, chosen.secret, *arguments), **more)  # type: ignore[arg-type]


def _withhold(chosen: Room) -> None:
    """Callback: the room's results wait for the teacher, or no longer, as the switch says."""
    _try(rooms().withhold, chosen.code, chosen.secret, st.session_state["roomwithheld"])


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
        taken = asked.of_room(rooms().lesson(code, visit.address()))
        href = room.to(taken, normal(code))
        begin = escape(_("Begin “{title}”", title=_(taken.lesson.title)))
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
    """The teacher's view: the code, and live beside and below it who is there and every scene."""
    st.html(STYLE)
    taken = asked.of_room(counts.lesson)
    with st.container(key="claim"):
        st.markdown(f"**{_(taken.lesson.title)}**")
    with st.container(horizontal=True, vertical_alignment="center", key="roomtools"):
        st.session_state.setdefault("roomlarge", not counts.visitors)  # decided once: it stays while they come
        large = st.toggle(
            _("Show the code large"),
            key="roomlarge",
            help=_(
                "For the whole wall, so that it can be scanned from the last row. The scenes come back when you switch "
                "it off."
            ),
        )
        st.session_state["roomwithheld"] = counts.withheld  # also where another screen of the teacher's set it
        st.toggle(
            _("Results when I reveal"),
            key="roomwithheld",
            on_change=_withhold,
            args=(chosen,),
            help=_(
                "Who has answered sees how the room answered, and what is right, only when you reveal it; else at once."
            ),
        )
        if not large:  # where the questions are in sight
            asking = frozenset(number for number, scene in _scenes(taken).items() if scene["answers"])
            only = _("The questions that somebody has answered.")
            _button(chosen, "revealall", _("Reveal all"), rooms().reveal, asking, help=only)
            _button(chosen, "hideall", _("Hide all"), rooms().reveal, frozenset())
        fullscreen.button(_("Full screen"))
        with st.popover(_("Your link")):
            code, own = {Room.code.key: normal(chosen.code)}, urlencode({Room.secret.key: chosen.secret})
            st.markdown(
                _(
                    "The address of this page is your link: who has it sees the counts, reveals answers and ends the "
                    "room. Keep it, and show the wall in full screen so that nobody reads it there."
                )
            )
            st.code(f"{_base()}{PATH}?{urlencode(code)}#{own}", language=None, wrap_lines=True)
            st.markdown(f"[{_('The wall without menus')}]({PATH}?{urlencode({**code, 'embed': 'true'})}#{own})")
        with st.popover(_("End the room")):
            st.markdown(
                _(
                    "The room ends for everybody, and its counts are deleted now. The students' lessons go on without "
                    "it."
                )
            )
            st.button(_("End it and delete the counts"), key="roomend", on_click=_end, args=(chosen,))
    with st.container(horizontal=not large, vertical_alignment="center", key="roomhead"):
        _code(normal(chosen.code), large)
        present(chosen)
    if not large:
        scenes(chosen)


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
                "This page was opened as {host}, which no other machine reaches. Open it by the name or address under "
                "which students reach this server, and the link below follows.",
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
def scenes(chosen: Room) -> None:
    """Every scene with its visitors and its question, again and again while the page is open."""
    counts = _now(chosen)
    said()
    taken = asked.of_room(counts.lesson)
    every = _scenes(taken)
    with st.container(key="roomsteps"):
        for number, scene in every.items():
            with st.container(key=f"roomstep{number}"):
                _scene(chosen, counts, taken, number, scene, number == len(every))


def _scene(chosen: Room, counts: Counts, taken: Taken, number: int, scene: Mapping[str, Any], last: bool) -> None:
    """One scene: who is there, who is further, and its question, open or revealed."""
    here, further = counts.here.get(number, 0), counts.passed(number)
    at_it, beyond = _("{n} here", n=here), _("{n} further", n=further)
    total = max(counts.visitors, 1)
    meter = "".join(
        f'<i class="{name}" style="width: {100 * count / total:.1f}%"></i>'
        for name, count in (("further", further), ("here", here))
    )
    held = number == counts.held
    answers = ""
    if scene["answers"] and number in counts.revealed:
        answers = _bars(scene, counts.votes.get(number, ({},)))
    large = escape(room.to(taken, normal(chosen.code), number, wall=True))
    st.html(
        f'<div class="room-step{" held" if held else ""}"><h3><b>{number}</b> {escape(_plain(scene["says"]))}</h3>'
        f'<p><i class="here"></i>{at_it} <i class="further"></i>{beyond} '
        f'<a target="_blank" href="{large}">{escape(_("Show it large"))}</a></p>'
        f'<div class="room-meter" aria-hidden="true">{meter}</div></div>{answers}'
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"roomacts{number}"):
        if scene["answers"]:
            _votes(chosen, counts, number)
        if not last:
            label, to = (_("Let go"), 0) if held else (_("Hold here"), number)
            _button(chosen, f"hold{number}", label, rooms().hold, to, type="tertiary")


def _bars(scene: Mapping[str, Any], votes: Sequence[Mapping[int, int]]) -> str:
    """The answers to a question as bars of their shares in one vote or two, as HTML; what is right is marked."""
    totals = [max(1, sum(counts.values())) for counts in votes]
    rows: list[str] = []
    for each, text in enumerate(scene["answers"]):
        counts = [vote.get(each, 0) for vote in votes]
        if not any(counts) and each not in scene["rights"]:
            continue
        shares = [count / total for count, total in zip(counts, totals, strict=True)]
        drawn = "".join(f'<i style="width: {100 * share:.1f}%"></i>' for share in shares)
        figures = " → ".join(f"{count} · {number(share, '.0%')}" for count, share in zip(counts, shares, strict=True))
        mark, name = ("✓ ", "right") if each in scene["rights"] else ("", "")
        rows.append(
            f'<div role="listitem" class="{name}">{drawn}<span>{mark}{escape(text)}</span><span>{figures}</span></div>'
        )
    label = _("How the room answered")
    order = "" if len(votes) == 1 else f'<p class="room-order">{escape(_("first vote → second vote"))}</p>'
    two = "" if len(votes) == 1 else " two"
    return f'<div role="list" class="room-answers{two}" aria-label="{escape(label)}">{"".join(rows)}</div>{order}'


def _votes(chosen: Room, counts: Counts, number: int) -> None:
    """How many have answered the question of a scene, and what the teacher may do with it once somebody has."""
    first, *second = counts.answered(number)
    if not first:
        st.html(f'<p class="room-answered">{_("No answer yet")}</p>')
        return
    hide = number in counts.revealed
    label, steps = (_("Hide"), counts.revealed - {number}) if hide else (_("Reveal"), counts.revealed | {number})
    _button(chosen, f"reveal{number}", label, rooms().reveal, steps)
    if not second:
        _button(chosen, f"again{number}", _("Vote again"), rooms().vote_again, number)
    answers = ngettext("{n} answer", "{n} answers", first)
    if second:
        answers += ", " + _("{n} in the second vote", n=second[0])
    st.html(f'<p class="room-answered">{answers}</p>')


def _when(ends: float) -> str:
    """A moment as the clock of this browser says it."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return f"{datetime.fromtimestamp(ends, zone):%A %H:%M}"
