"""The bar of a tour at the bottom of every page: the step's words, its question, and links to the steps beside it.

All of a tour's progress is in the link: the tour, the step, and the answers that were given. Steps are links as the cards of a
gallery are: the page follows the address, so that each can be shared, and Back leads back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from html import escape

import streamlit as st

from tlmviz.hosting.rooms import Standing
from tlmviz.ui import texts

from .. import frame, link, markdown, reading
from ..components.spotlight import spotlight
from ..language import _
from . import asked, room
from .parts import Measured, Question, Step, Tour, address
from .table import TOURS

TOUR = link.Field("tour", "", link.up_to(40))
STEP = link.Field("tourstep", 1, link.whole(0, 999))
LONGEST = 20  # steps, of which a link may hold the answers
NONE = "-"  # an answer that was not given


def _told(text: str) -> tuple[int | None, ...]:
    return tuple(None if part == NONE else int(part) for part in text.split(".")[:LONGEST])


def write_told(answers: tuple[int | None, ...]) -> str:
    """The answers to the questions of the steps, in their order, as links hold them."""
    return ".".join(NONE if answer is None else str(answer) for answer in answers)


TOLD: link.Field[tuple[int | None, ...]] = link.Field("told", (), _told, write_told)
_BEGUN = "_tours"  # session: tour -> the link's values of the step that was seen last
_STYLE = """<style>
.st-key-tour, .st-key-tour [data-testid="stVerticalBlock"] { gap: 0.35rem; }
.st-key-tour { flex: none; border: 1px solid rgba(128, 140, 155, 0.5); border-top: 3px solid #e8890c; border-radius: 0.4rem;
  padding: 0.5rem 0.8rem 0.6rem; max-height: 46vh; overflow-y: auto; }
[data-testid="stBottomBlockContainer"]:has(.st-key-tour) { padding: 0.4rem 1.6rem 0.5rem; }
.st-key-tour :is(.st-key-spotlight, .st-key-tab) { position: absolute; width: 0; }
.st-key-tour :is(p, [data-testid="stMarkdownContainer"]) { margin-bottom: 0; }
.st-key-tour button { min-height: 2rem; padding: 0.15rem 0.7rem; }
.tour { display: flex; flex-wrap: wrap; gap: 0.2rem 0.7rem; align-items: center; font-size: 0.9rem; }
.tour nav { display: flex; gap: 0.45rem; margin-left: auto; align-items: center; }
.tour a { color: inherit; text-decoration: none; border: 1px solid rgba(128, 140, 155, 0.6);
  border-radius: 0.4rem; padding: 0.2rem 0.7rem; }
.tour a:is(:hover, :focus-visible) { border-color: #e8890c; }
.tour a[hidden] { display: none; }
.tour-held { margin: 0.2rem 0 0; font-size: 0.9rem; text-align: right; }
.tour a[rel=next] { background: #1f5fa8; border-color: #1f5fa8; color: #fff; }
html[data-tour-hides] :is(.st-key-claim, .st-key-patch-runs) { filter: blur(7px); }
@media (max-width: 640px) {
  [data-testid="stBottomBlockContainer"]:has(.st-key-tour) { padding: 0.3rem 0.5rem 0.4rem; }
  .tour { flex-wrap: nowrap; }
  .tour b { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .tour span { white-space: nowrap; }
  .tour .room { display: none; }
  .tour a { padding: 0.15rem 0.5rem; }
  .st-key-tour [data-testid="stMarkdownContainer"] p { font-size: 0.9rem; line-height: 1.35; }
}
</style>"""


@dataclass(frozen=True)
class Place:
    """Where a visitor is: a tour, a step of it counted from 1, the answers given so far, and the app's first page."""

    tour: Tour
    number: int
    told: tuple[int | None, ...]
    home: str

    @property
    def step(self) -> Step:
        """The step itself."""
        return self.tour.steps[self.number - 1]

    @property
    def given(self) -> int | None:
        """The answer given to this step's question; None for one that it does not have."""
        return self.tour.answered(self.told).get(self.number)

    def at(self, number: int) -> str:
        """The link of another step of the tour, in the same room."""
        return step_address(self.tour, number, self.home, self.told, room.ROOM.get())


def joining(tour: Tour, home: str, code: str) -> str:
    """The link of a tour's first step in a room, for who has no session yet."""
    first = tour.steps[0]
    return address(first.page, home, {**first.link, TOUR.key: tour.name, room.ROOM.key: code})


def step_address(
    tour: Tour, number: int, home: str, told: tuple[int | None, ...] = (), code: str = ""
) -> str:
    """The link of a step, counted from 1, with the `told` answers in it, and the `code` of a room."""
    step = tour.steps[number - 1]
    query: dict[str, str | tuple[str, ...]] = {**step.link, TOUR.key: tour.name}
    if number != STEP.default:
        query[STEP.key] = str(number)
    if told:
        query[TOLD.key] = write_told(told)
    if code:
        query[room.ROOM.key] = code
    if reading.maths():
        query[reading.LEVEL.key] = reading.MATHS
    return address(step.page, home, query)


def here(home: str) -> Place | None:
    """The step that the link, or the session, is at; None off tours. A tour or a step that is not there gets a sentence."""
    name = TOUR.get()
    if not name:
        return None
    tour = room.own() if name == asked.OWN else asked.named(name)
    if tour is None:
        if name != asked.OWN:
            st.warning(texts.no_tour(markdown.plain(name)))
        TOUR.set("")
        return None
    at = STEP.get()
    number = min(max(at, 1), len(tour.steps))
    if number != at:
        st.warning(texts.no_step(tour.title, at, len(tour.steps), number))
        STEP.keep(number)
    told = TOLD.get()[: len(tour.steps)]
    return Place(tour, number, told, home)


def begun() -> Mapping[str, tuple[int, tuple[int | None, ...]]]:
    """The tours of this session: name -> the step seen last and the answers given."""
    found: dict[str, tuple[int, tuple[int | None, ...]]] = st.session_state.setdefault(_BEGUN, {})
    return found


def _remember(place: Place, told: tuple[int | None, ...]) -> None:
    """Where a tour was left; one question alone is no tour to go on with."""
    if place.tour.name in TOURS:
        begun()[place.tour.name] = place.number, told  # type: ignore[index]


def bar(path: str, home: str, titles: Mapping[str, str]) -> None:
    """Draw the bar on the page at `path`, where a tour is on; `titles` names the pages by their paths."""
    place = here(home)
    if place is not None:
        room.check(place.tour)
    for value in (TOUR, STEP, TOLD, room.ROOM):
        value.share(hide=place is None)
    if place is None:
        return
    _remember(place, place.told)
    with st.bottom.container(key="tour"):
        st.html(_STYLE)
        (_follow if room.ROOM.get() else _say)(path, home, titles)


def _say(path: str, home: str, titles: Mapping[str, str]) -> None:
    place = here(home)
    if place is None:
        return
    standing = room.attend(place.number)
    on_page = path == place.step.page and not standing.before(place.number)
    st.html(_head(place, on_page, titles, standing))
    if not on_page:
        return
    asks = place.given is None or standing.again
    hide = place.step.question is not None and (asks or not standing.shown)
    text = str(place.step.link["text"]) if "text" in place.step.link else None
    lit = f"{place.tour.name}.{place.number}"
    if place.step.place:
        kept = place.at(place.number) if place.tour.name in TOURS else ""
        spotlight(lit, place.step.place, kept, text, hide)
        title = place.step.title
        st.markdown(f"**{title}{'' if title.endswith('?') else '.'}** {place.step.says}")
    if place.step.question:
        _ask(place, place.step.question, asks, standing)
    if place.tour.name in TOURS and place.number == len(place.tour.steps) and not hide:
        st.html(_ending(place))


_follow = partial(frame.fragment, every=room.EVERY)(
    _say
)  # in a room: what its teacher does is seen by itself


def _head(place: Place, on_page: bool, titles: Mapping[str, str], standing: Standing) -> str:
    """The tour's name, where one is in it, and the links to other steps, none beyond the one at which the room is held."""
    steps, number = len(place.tour.steps), place.number
    back = standing.held if standing.before(number) else number
    links = []
    if not on_page:
        page = place.tour.steps[back - 1].page
        links.append(("", place.at(back), f"Back to step {back}, {titles[page]}"))
    else:
        if number > 1:
            links.append(("prev", place.at(number - 1), "Back"))
        if number < steps and number != standing.held:
            links.append(("next", place.at(number + 1), "Next"))
        if number == steps > 1:
            links.append(("next", "tours?", "All tours"))
    written = "".join(
        f'<a data-card="step" rel="{rel}" href="{escape(href)}">{escape(text)}</a>'
        for rel, href, text in links
    )
    written += '<a data-card="leave" href="?">Leave</a>'
    own = f'<a class="own" data-card="step" hidden href="{escape(place.at(number))}">Your own text: back to the tour\'s</a>'
    return (
        f'<div class="tour"><b>{escape(place.tour.title)}</b><span>{_counted(number, steps)}</span>{_room()}{own}'
        f'<nav aria-label="Steps of the tour">{written}</nav></div>'
        + (room.held(standing) if 0 < standing.held <= number else "")
    )


def _ending(place: Place) -> str:
    """How many of the answers were right, and the tour after this one."""
    true, given = score(place.tour, place.told)
    said = _("You guessed {true} of {given} right.", true=true, given=given) if given else ""
    following = [*TOURS.values()][[*TOURS].index(place.tour.name) + 1 :][:1]
    links = "".join(
        f'<a data-card="step" rel="next" href="{escape(step_address(tour, 1, place.home))}">'
        f"{escape(_('Next tour: {title}', title=tour.title))}</a>"
        for tour in following
    )
    return f'<div class="tour end"><span>{escape(said)}</span>{links}</div>'


def _counted(number: int, steps: int) -> str:
    """Which step of a tour it is."""
    return f"step {number} of {steps}" if steps > 1 else escape(_("one question"))


def _room() -> str:
    """The room that the tour is walked in."""
    return f'<span class="room">room {escape(room.ROOM.get())}</span>' if room.ROOM.get() else ""


def _ask(place: Place, question: Question, asks: bool, standing: Standing) -> None:
    """The question with its answers to press while it `asks`; once one was given, and may be judged, what was measured."""
    words = markdown.plain if place.tour.name == asked.OWN else str  # a teacher's text is shown as it is
    answers = [words(answer) for answer in question.answers]
    st.markdown(f":orange-badge[Question] {words(question.asks)}")
    given = place.given
    if asks:
        if given is not None:
            st.markdown(
                _(
                    "Your teacher asks again: discuss it, then answer once more. Your first answer, “{answer}”, counts as the "
                    "first vote.",
                    answer=answers[given],
                )
            )
        with st.container(horizontal=True, gap="small"):
            for number, answer in enumerate(answers):
                st.button(answer, key=f"told-{number}", on_click=_answer, args=(place, number, standing.vote))
        return
    assert given is not None
    if not standing.shown:
        st.markdown(
            _(
                "Your answer, “{answer}”, is counted. How the room answered, and what is right, appears here when your teacher "
                "reveals it.",
                answer=answers[given],
            )
        )
        return
    true = right(place.tour, place.number)
    if question.measure is None:
        st.markdown(texts.teachers(answers[given], None if true is None else answers[true]))
    elif given == true:
        st.markdown(texts.right(answers[given], measured(place.tour.name, place.number).says))
    elif true is not None:
        st.markdown(texts.wrong(answers[given], answers[true], measured(place.tour.name, place.number).says))
    if room.ROOM.get():
        st.html(room.bars(question, standing.votes, true, given))


def right(tour: Tour, number: int) -> int | None:
    """Which answer to the question of a step is true, measured or as the teacher says it; None where nobody says so."""
    question = tour.steps[number - 1].question
    assert question is not None
    return question.right if question.measure is None else measured(tour.name, number).answer


def score(tour: Tour, told: tuple[int | None, ...]) -> tuple[int, int]:
    """How many of the answers `told` are right, and how many were given."""
    given = tour.answered(told)
    return sum(right(tour, step) == answer for step, answer in given.items()), len(given)


def _answer(place: Place, answer: int, vote: int) -> None:
    told = list(place.told) + [None] * (place.number - len(place.told))
    told[place.number - 1] = answer
    TOLD.set(tuple(told))
    room.press(place.number, answer, vote)
    _remember(place, tuple(told))


@st.cache_data(max_entries=256, show_spinner="Measuring the answer …")
def measured(tour: str, number: int) -> Measured:
    """What is true of the question of a step, computed from the models once per process."""
    found = asked.named(tour)
    question = found.steps[number - 1].question if found else None
    assert question is not None and question.measure is not None
    return question.measure()
