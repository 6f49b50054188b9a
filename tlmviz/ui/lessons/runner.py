"""Runs a lesson: measures it on its model, judges every answer, and makes all scenes one payload for the browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from tlmviz.errors import Error, UnknownName
from tlmviz.figures.written import number
from tlmviz.shots import links

from .. import address as link_address
from .. import compute, frame, link, menu
from ..address import SLOT
from ..handoff import address
from ..language import LANGUAGE, N_, _
from .parts import Act, DragUntil, Lesson, Picture, Reply, Scene, Unfit
from .table import LESSONS

PATH = "lessons"
LESSON = link.Field("lesson", "", link.up_to(40))
SCENE = link.Field("scene", 1, link.whole(0, 999))
LONGEST = 160  # characters of a sentence, as in progress.js
SENTENCE = link.Field("sentence", "", link.up_to(LONGEST))
KEPT = ("lesson", "scene", "told", "sentence", "room", "wall")  # of an address, that a lesson is in
HELD_OUT = 1.05  # bits per byte of held-out stories: models/stories-rope/card.md
WELL, HARDLY = 1.7, 3.0  # times as much: up to there a sentence is read well, and from there not
_ACT = {"button": "", "label": "", "count": 1, "right": 0, "within": 0, "start": 50, "until": None}
MOST, LEAST = 28, 3  # tokens of a sentence: more have no place on a phone


def read_link() -> None:
    """Let the address alone say where a visitor is: the browser goes on by itself, so what the session holds is old."""
    for key in KEPT:
        st.session_state.pop(f"{SLOT}{key}", None)


@st.cache_resource(max_entries=64, show_spinner=False)
def measured(name: str, text: str) -> Any:
    """What a lesson finds in its model on a text. Raises Unfit."""
    lesson = LESSONS[name]
    load = lesson.load or compute.model
    model = {name: load(name) for name in (lesson.model, *lesson.also)} if lesson.also else load(lesson.model)
    return compute.run_in_worker(lambda: lesson.measure(model, text), compute.about(text))


def surprise(model: str, text: str) -> float:
    """How many times as much as a held-out story a text costs a model; raises Unfit for one that it is not shown."""
    length = len(compute.trace(model, text)) - 1
    if length > MOST:
        said = N_(
            "Your sentence is too long to be shown whole: the model reads it as {length} pieces, and {most} fit, about "
            "twenty words."
        )
        raise Unfit(said, length=str(length), most=str(MOST))
    if length < LEAST:
        raise Unfit(N_("Your sentence is too short: the model needs a few words to guess from."))
    return compute.bits_per_byte(model, text) / HELD_OUT


def _read(lesson: Lesson, sentence: str) -> tuple[str, str, str]:
    """The text that is taken, what is said where it is not the visitor's, and how well the model reads that."""
    text = re.sub(r"\s+", " ", sentence).strip()
    if not text:
        return lesson.text, "", ""
    try:
        times = (lesson.surprise or surprise)(lesson.model, text)
        if times >= HARDLY:
            raise Unfit(
                N_(
                    "This model has read English children's stories only. Your sentence surprises it {times} times as "
                    "much as those do: it cannot read it."
                ),
                times=number(times, ".0f"),
            )
        measured(lesson.name, text)
    except Error as error:
        return lesson.text, f"{frame.worded(error)} {_('The lesson keeps its own sentence.')}", ""
    except Unfit as unfit:
        return (lesson.text, f"{_(unfit.message, **unfit.values)} {_('The lesson keeps its own sentence.')}", "")
    well = _("The model reads your sentence well.")
    some = _(
        "The model reads your sentence with some trouble: it surprises it {times} times as much as its stories do.",
        times=number(times, ".1f"),
    )
    return text, "", well if times < WELL else some


def asked() -> str:
    """The query that this session was asked with: a page that was left may write its own into the browser's address,
    late."""
    given = link_address.given()
    return urlencode({key: given[key] for key in KEPT if key in given})


def payload(
    lesson: Lesson,
    sentence: str = "",
    scene: int = 1,
    query: str = "",
    *,
    alone: int = 0,
    room: str = "",
    wall: bool = False,
    said: str = "",
) -> dict[str, Any]:
    """All that the browser needs of a lesson, on the visitor's `sentence` or on the lesson's own, asked for by a
    `query`.

    Of one scene `alone` there is that one and no end. In a `room` all have the lesson's own sentence; a `wall` is
    looked at. What is `said` of the room that there is none stands at every scene.
    """
    home = measured(lesson.name, lesson.text) if lesson.model else None
    asks = lesson.plot(home, home)[0].asks and not room
    text, note, read = _read(lesson, sentence if asks else "")
    own = measured(lesson.name, text) if lesson.model else None
    words, ours = lesson.words(own, home), lesson.words(home, home)
    again = _("This is the lesson's own text. ") if own is not home else ""
    scenes = [_sent(each, ours if each.home else words, again) for each in lesson.plot(own, home)]
    beyond = scene > len(scenes) + 1
    name = f"{lesson.name}.{alone}" if alone and lesson.name in LESSONS else lesson.name
    following = [*LESSONS.values()][[*LESSONS].index(lesson.name) + 1 :][:1] if lesson.name in LESSONS else []
    return {
        "name": name,
        "title": _(lesson.title),
        "text": text,
        "sentence": sentence,
        "note": said or note,
        "read": read,
        "asked": query,
        "room": room,
        "wall": wall,
        "alone": bool(alone),
        "beyond": _("This lesson has {count} scenes; this is its end.", count=len(scenes)) if beyond else "",
        "scenes": [each | {"asks": each["asks"] and asks} for each in (scenes[alone - 1 : alone] if alone else scenes)],
        "end": [{"says": each.says.format(**words), "shows": _parts(each.shows)} for each in lesson.end(own, home)],
        "measured": _measured_on(lesson),
        "next": {"title": _(following[0].title), "link": to(following[0].name)} if following and not room else None,
        "lang": LANGUAGE.get(),
    }


def _measured_on(lesson: Lesson) -> str:
    if not lesson.model:
        return ""
    if lesson.measured_on:
        return _(lesson.measured_on)
    config = compute.configs()[lesson.model]
    heads = config.n_layers * config.n_heads
    return _("Every number was measured on a small real model with {heads} heads.", heads=heads)


def absent(lesson: Lesson) -> UnknownName | None:
    """What is to be said where a model of a lesson is not installed."""
    return menu.absent("", filter(None, (lesson.model, *lesson.also)))


def to(name: str, sentence: str = "") -> str:
    """The link of a lesson's first scene, on a sentence of one's own if there is one."""
    return address(PATH, links.home(), {LESSON.key: name} | ({SENTENCE.key: sentence} if sentence else {}))


def _parts(picture: Picture) -> list[dict[str, Any]]:
    return [asdict(part) for part in picture]


def _sent(scene: Scene, words: Mapping[str, str], again: str = "") -> dict[str, Any]:
    """A scene as the browser has it; `again` is said of one that stays on the lesson's own text."""
    words = {**words, **scene.words}
    act, before = _act(scene.act, words), _parts(scene.before)
    answers = _answers(act, before)
    return {
        "says": scene.says.format(**words),
        "act": act,
        "answers": answers,
        "rights": _rights(act) if answers else [],
        "before": before,
        "after": _parts(scene.after),
        "hint": (again if scene.home else "") + scene.hint.format(**words),
        "asks": scene.asks,
        "behind": address(scene.behind.page, links.home(), dict(scene.behind.link)) if scene.behind else "",
    }


def _act(act: Act, words: Mapping[str, str]) -> dict[str, Any]:
    """An act as `acts.js` has it: every answer with its key, its label and its reply."""
    kind = "drag" if isinstance(act, DragUntil) else type(act).__name__.lower()
    keys = act.replies if isinstance(act.replies, Mapping) else range(len(act.replies))
    replies = [
        {name: getattr(reply, name).format(**{**words, **reply.words}) for name in ("label", "verdict", "reason")}
        | {"key": key, "right": reply.right, "shows": _parts(reply.shows)}
        for key, reply in zip(keys, replies_of(act))
    ]
    own = {key: value.format(**words) if isinstance(value, str) else value for key, value in vars(act).items()}
    return {**_ACT, **own, "kind": kind, "replies": replies}


def _answers(act: Mapping[str, Any], before: list[dict[str, Any]]) -> list[str]:
    """The answers to a guess as a room counts them, in the order of `acts.js`; none where an act is no guess."""
    if act["kind"] == "drag":
        return [f"{low}–{low + 9 + low // 90}%" for low in range(0, 100, 10)] if act["until"] is None else []
    if act["kind"] == "tap":
        told = {at: text.strip() for part in before for at, text in part["options"].get("words", [])}
        return [reply["label"] or told[reply["key"]] for reply in act["replies"]]
    return [reply["label"] or reply["key"] for reply in act["replies"]] if act["kind"] in ("choose", "pick") else []


def _rights(act: Mapping[str, Any]) -> list[int]:
    """Which of the answers to a guess are right, as a room counts them."""
    if act["kind"] == "drag":
        return [min(9, int(act["right"]) // 10)]
    return [n for n, reply in enumerate(act["replies"]) if reply["right"]]


def replies_of(act: Act) -> list[Reply]:
    """All replies of an act."""
    return list(act.replies.values() if isinstance(act.replies, Mapping) else act.replies)
