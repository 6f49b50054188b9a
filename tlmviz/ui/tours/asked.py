"""What a room is on: a tour, one question of a tour alone, or a question of the teacher's own on a link of the app."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence

from tlmviz.errors import Error
from tlmviz.hosting.rooms import NoRoom
from tlmviz.shots.links import home, read_link

from ..language import _
from .parts import Question, Step, Tour
from .table import TOURS

OWN = "own"  # in a link, in place of a tour's name: the question is the room's
LINK, ASKS, ANSWER = 1500, 300, 100  # characters
FEWEST, MOST = 2, 4  # answers
# Fields of a link that say where its teacher is, and not what the page shows.
_WHERE = ("tour", "tourstep", "told", "room", "code", "lang")


def alone(tour: Tour, number: int) -> str:
    """The name of one step of a tour, counted from 1, whose question is asked alone."""
    return f"{tour.name}.{number}"


@functools.cache
def named(name: str) -> Tour | None:
    """The tour of a name in a link: one of the table, or a step of one that asks, alone; None where there is none."""
    if name in TOURS:
        return TOURS[name]
    of, _dot, number = name.rpartition(".")
    steps = TOURS[of].steps if of in TOURS else ()
    step = next((step for at, step in enumerate(steps, 1) if str(at) == number and step.question), None)
    return Tour(name, step.title, step.says, (step,)) if step else None


@functools.lru_cache(maxsize=256)
def of_room(kept: str) -> Tour:
    """The tour that a room is on, by what the room keeps of it. Raises NoRoom where this app does not have it."""
    tour = _read(kept) if kept.startswith("{") else named(kept)
    if tour is None:
        raise NoRoom("This room is on a tour that is not here; open a new one.")
    return tour


def own(link: str, asks: str, answers: Sequence[str], right: int | None = None) -> str:
    """What a room keeps of a teacher's own question; `right` counts the `answers`, empty ones included, from 0.

    Raises Error for a link that is none of the app's, and for a question or answers that are missing, too long or alike.
    """
    if len(link) > LINK:
        raise Error("The link has {n} characters; {most} are taken.", n=len(link), most=LINK)
    found = read_link(link)
    page = found.page or home()
    if page == "room":
        raise Error("The page Classroom is where rooms are opened; give the link of another page.")
    asks, texts = " ".join(asks.split()), [" ".join(answer.split()) for answer in answers]
    if not asks:
        raise Error("The question is missing; write what you want to ask.")
    given = [text for text in texts if text]
    if not FEWEST <= len(given) <= MOST:
        raise Error(
            "{n} answers were given; a question has {fewest} to {most}.",
            n=len(given),
            fewest=FEWEST,
            most=MOST,
        )
    if len(set(given)) < len(given):
        raise Error("Two answers are alike; write each once.")
    for text, most in ((asks, ASKS), *((text, ANSWER) for text in given)):
        if len(text) > most:
            raise Error(
                "“{text}…” has {n} characters; {most} are taken.", text=text[:20], n=len(text), most=most
            )
    if right is not None and not texts[right]:
        raise Error("Answer {n} is said to be right, and is empty.", n=right + 1)
    query: dict[str, list[str]] = {}
    for name, value in found.fields:
        if name not in _WHERE:
            query.setdefault(name, []).append(value)
    true = None if right is None else given.index(texts[right])
    kept = {"page": page, "link": query, "asks": asks, "answers": given, "right": true}
    return json.dumps(kept, ensure_ascii=False)


def _read(kept: str) -> Tour:
    said = json.loads(kept)
    link = {name: tuple(values) if len(values) > 1 else values[0] for name, values in said["link"].items()}
    question = Question(said["asks"], tuple(said["answers"]), right=said["right"])
    return Tour(OWN, _("A question of your teacher's"), "", (Step(said["page"], "", "", "", link, question),))
