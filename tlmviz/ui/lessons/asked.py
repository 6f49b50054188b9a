"""What a room is on: a lesson, one scene of a lesson alone, or a question of the teacher's own on a link of the app."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass

from tlmviz.errors import Error
from tlmviz.hosting.rooms import NoRoom
from tlmviz.shots.links import home, read_link

from ..handoff import address
from ..language import N_, _
from .parts import Choose, Lesson, Reply, Scene
from .pictures import page
from .table import LESSONS

OWN = "own"  # in a link, in place of a lesson's name: the question is the room's
LINK, ASKS, ANSWER = 1500, 300, 100  # characters
FEWEST, MOST = 2, 4  # answers
# Fields of a link that say where its teacher is, and not what the page shows.
_WHERE = ("lesson", "scene", "told", "sentence", "room", "wall", "code", "lang")


@dataclass(frozen=True)
class Taken:
    """What is taken: a lesson whole, or one scene of it, counted from 1, `alone`; its `name` is that in links."""

    name: str
    lesson: Lesson
    alone: int = 0


def alone(lesson: Lesson, scene: int) -> str:
    """The name of one scene of a lesson that is taken alone."""
    return f"{lesson.name}.{scene}"


def named(name: str) -> Taken | None:
    """What a name in a link stands for: a lesson of the table, or a scene of one alone; None where there is none."""
    of, _dot, scene = name.rpartition(".")
    if of in LESSONS and scene.isascii() and scene.isdigit() and 0 < int(scene) < 10:
        return Taken(name, LESSONS[of], int(scene))
    return Taken(name, LESSONS[name]) if name in LESSONS else None


@functools.lru_cache(maxsize=256)
def of_room(kept: str) -> Taken:
    """What a room is on, by what it keeps. Raises NoRoom where this app does not have it."""
    taken = _read(kept) if kept.startswith("{") else named(kept)
    if taken is None:
        raise NoRoom("This room is on a lesson that is not here; open a new one.")
    return taken


def own(link: str, asks: str, answers: Sequence[str], right: int | None = None) -> str:
    """What a room keeps of a teacher's own question; `right` counts the `answers`, empty ones included, from 0.

    Raises Error for a link that is none of the app's, and for a question or answers that are missing, too long or
    alike.
    """
    if len(link) > LINK:
        raise Error("The link has {n} characters; {most} are taken.", n=len(link), most=LINK)
    found = read_link(link)
    path = found.page or home()
    if path in ("room", "lessons"):
        raise Error(
            "A question of your own is asked on another page than Classroom and Lessons; give the link of that page."
        )
    asks, texts = " ".join(asks.split()), [" ".join(answer.split()) for answer in answers]
    if not asks:
        raise Error("The question is missing; write what you want to ask.")
    given = [text for text in texts if text]
    if not FEWEST <= len(given) <= MOST:
        raise Error(
            "{n} answers were given; a question has {fewest} to {most}.", n=len(given), fewest=FEWEST, most=MOST
        )
    if len(set(given)) < len(given):
        raise Error("Two answers are alike; write each once.")
    for text, most in ((asks, ASKS), *((text, ANSWER) for text in given)):
        if len(text) > most:
            raise Error("“{text}…” has {n} characters; {most} are taken.", text=text[:20], n=len(text), most=most)
    if right is not None and not texts[right]:
        raise Error("Answer {n} is said to be right, and is empty.", n=right + 1)
    query: dict[str, list[str]] = {}
    for name, value in found.fields:
        if name not in _WHERE:
            query.setdefault(name, []).append(value)
    true = None if right is None else given.index(texts[right])
    kept = {"page": path, "link": query, "asks": asks, "answers": given, "right": true}
    return json.dumps(kept, ensure_ascii=False)


def _read(kept: str) -> Taken:
    said = json.loads(kept)
    link = {name: tuple(values) if len(values) > 1 else values[0] for name, values in said["link"].items()}
    to, right = address(said["page"], home(), {**link, "embed": "true"}), said["right"]
    replies = []
    for n, answer in enumerate(said["answers"]):
        told: tuple[str, str] = _("Counted."), _("Your teacher has not said what is right.")
        if right is not None:
            told = _("Your teacher says so, too.") if n == right else _("Your teacher says: {right}."), ""
        words = {"answer": answer, "right": said["answers"][right or 0]}
        replies.append(Reply(*told, n == right, words=words, label="{answer}"))
    scene = Scene("{asks}", (page(to),), Choose(replies), words={"asks": said["asks"]})
    lesson = Lesson(
        OWN,
        N_("A question of your teacher's"),
        "",
        "",
        "",
        lambda model, text: None,
        lambda own, home: {},
        lambda own, home: [scene],
        lambda own, home: [],
    )
    return Taken(OWN, lesson, 1)
