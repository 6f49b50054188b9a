"""Lesson 9, "Who translates what": where a translator looks for each word it writes, what it looks for, and what hangs
on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tlmviz.analysis.translation import coverage, score_steps
from tlmviz.decoding.beam import BeamOptions
from tlmviz.facades.translator import Translator
from tlmviz.figures.written import number, percent

from .. import translation
from ..language import N_, _
from .measures import little, shared_out
from .parts import Behind, Choose, Drag, End, Lesson, Part, Picture, Press, Reply, Scene, Tap, guessed
from .pictures import DOES, INK, LOOK, NOTE, SOFT, bar, bars, pair

DOT, GENERAL, ADDITIVE = MODELS = "eng-fra-dot", "eng-fra-general", "eng-fra-additive"
BOOK, WORK = "He gave me an interesting book.", "They are working."
FOUR = "Il", "donné", "un", "livre"  # French words whose looks are drawn without W: two stay, two go
Rows = list[list[float]]
Forced = tuple[str, list[str], float]  # a translation, its pieces, and how sure the one under the forced look was


@dataclass(frozen=True)
class Text:
    """A translation piece by piece, without its end: the points and the looks of each on the English, and how sure each
    was."""

    english: list[str]
    tokens: Sequence[int]
    french: list[str]
    points: Rows
    looks: Rows
    sure: list[float]

    def most(self, step: int) -> int:
        """Where a piece looks most."""
        return int(np.argmax(self.looks[step]))

    def step(self, piece: str) -> int:
        """Where a piece is written."""
        return [each.strip() for each in self.french].index(piece)

    def look(self, piece: str, word: str) -> float:
        """The share of a piece's look that a word gets."""
        return self.looks[self.step(piece)][self.at(word)]

    def at(self, word: str) -> int:
        """Where a word stands in the English."""
        return [each.strip() for each in self.english].index(word)

    def lead(self, step: int) -> float:
        """How many points the best word is before the second."""
        best, second = sorted(self.points[step], reverse=True)[:2]
        return best - second


@dataclass(frozen=True)
class Found:
    """One sentence by three scores; what is written under a forced look; the looks of two scores that lack a part."""

    dot: Text
    general: Text
    additive: Text
    work: Text
    size: int  # numbers of a state
    forced: Mapping[int, Forced]  # by the word that is looked at
    turned: Rows  # of the general score without its table
    level: Rows  # of the additive one without its squeeze
    sure: float  # of the last word, where the general one looks at its English

    def same(self) -> list[int]:
        """The pieces whose look stays where it was without the table."""
        return [n for n, row in enumerate(self.turned) if int(np.argmax(row)) == self.general.most(n)]


def measure(models: Mapping[str, Translator], text: str) -> Found:
    """All of it, in some ten searches."""
    found = {name: _read(mt, BOOK) for name, mt in models.items()}
    (dot, _dot), (general, turned), (additive, level) = found[DOT], found[GENERAL], found[ADDITIVE]
    begun, step = additive.tokens[: additive.step("livre")], additive.step("livre")
    forced = {at: _forced(models[ADDITIVE], begun, {step: at}) for at in range(len(additive.english))}
    late = general.step("intéressant")
    pin = {late: general.at("interesting")}
    sure = coverage.next_tokens(models[GENERAL], BOOK, general.tokens[:late], pin)[general.tokens[late]]
    work, size = _read(models[ADDITIVE], WORK)[0], models[DOT].network.config.hidden
    return Found(dot, general, additive, work, size, forced, turned, level, float(sure))


def _read(mt: Translator, text: str) -> tuple[Text, Rows]:
    """A model's own translation, and its looks where its score lacks W or tanh."""
    tokens = mt.search(text).hypotheses()[0].tokens
    steps = score_steps.read(mt, text, list(tokens))
    z, h = torch.from_numpy(steps.z), torch.from_numpy(steps.h)
    score: Any = mt.on_cpu.network.score
    points = h @ z.T if steps.product else (score.w1(h)[:, None] + score.w2(z)) @ score.v.weight[0]
    written = tokens[:-1]  # without the end
    found = Text(
        mt.names(mt.encode(text)),
        written,
        mt.names(written),
        steps.scores[:-1].tolist(),
        steps.a[:-1].tolist(),
        np.exp(steps.logp[:-1]).tolist(),
    )
    return found, [shared_out(row) for row in points[:-1].tolist()]


def _forced(mt: Translator, written: Sequence[int], pin: dict[int, int]) -> Forced:
    """What is written from a forced look on."""
    found = mt.search(BOOK, BeamOptions(prefix=tuple(written)), pin).hypotheses()[0]
    chances = coverage.next_tokens(mt, BOOK, written, pin)
    return mt.text(found.tokens), mt.names(found.tokens[:-1]), float(chances[found.tokens[len(written)]])


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    late = m.general.step("intéressant")
    shares = {
        "book": m.additive.look("livre", "book"),
        "a": m.additive.look("a", "gave"),
        "donne": m.additive.look("donné", "gave"),
        "are": m.work.look("ent", "are"),
        "they": m.work.look("ent", "They"),
        "sure": m.general.sure[late],
        "forced": m.sure,
        "dots": m.dot.look("intéressant", "interesting"),
        "adds": m.additive.look("intéressant", "interesting"),
    }
    first, last = (m.general.french[step].strip() for step in m.same())
    one, two = (step for step in map(m.general.step, FOUR) if step not in m.same())
    gone = {
        "one": m.general.french[one].strip(),
        "two": m.general.french[two].strip(),
        "at_one": m.general.english[int(np.argmax(m.turned[one]))].strip(),
        "at_two": m.general.english[int(np.argmax(m.turned[two]))].strip(),
    }
    return (
        {name: percent(share) for name, share in shares.items()}
        | gone
        | {"lead": number(m.dot.lead(m.dot.step("livre")), ".1f"), "d": f"{m.size}", "N": f"{len(m.turned)}"}
        | {"first": first, "last": last}
    )


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_order, _several, _pieces, _force, _points, _turned, _squeezed, _sure)]


def _lines(
    text: Text,
    looks: Mapping[int, str] | None = None,
    *,
    rows: Rows | None = None,
    french: Sequence[str] = (),
    under: int | None = None,
    new: bool = False,
    press: Iterable[int] = (),
    share: float = 1.0,
) -> Part:
    """The English and the French, with the looks of some of its pieces, by tone."""
    rows = text.looks if rows is None else rows
    drawn = [(step, rows[step], tone) for step, tone in (looks or {}).items()]
    return pair(
        text.english, french or text.french, drawn, under=under, bold=new, press=press, verb=_("Look at"), share=share
    )


def _order(m: Found) -> Scene:
    text, step = m.additive, m.additive.step("livre")
    why = _(
        "“book” gets {book} of the look and becomes “livre”. French says “un livre intéressant”, a book interesting: "
        "“book” comes first."
    )
    replies = {}
    for at, word in enumerate(text.english):
        told = {"word": word.strip(), "its": little(text.looks[step][at])}
        replies[at] = Reply(_("No: “{word}” gets {its}."), why, words=told)
    replies[text.at("interesting")] = Reply(_("Not yet."), why)
    replies[text.at("book")] = Reply(_("Yes, “book”."), why, True)
    begun = text.french[:step]
    return Scene(
        _(
            "A translator writes French word by word, and looks at the English each time. Tap the word that the next "
            "one looks at most."
        ),
        (_lines(text, french=[*begun, " ?"], under=step, press=range(len(text.english))),),
        Tap(replies),
        (_lines(text, {step: LOOK}, french=[*begun, " livre"], under=step, new=True),),
        _("So far the French says: he has given me a …"),
        _page(ADDITIVE),
    )


def _givers(m: Found) -> list[int]:
    """The pieces that look most at “gave”."""
    return [step for step in range(len(m.additive.french)) if m.additive.most(step) == m.additive.at("gave")]


def _several(m: Found) -> Scene:
    text = m.additive
    why = _(
        "“a donné” says “has given”, so both look at “gave”: {a} and {donne} of their looks. “m'” stands beside them, "
        "but looks at “me”."
    )
    verdicts = _("No: one more."), _("Yes, two."), _("No: one less.")
    replies = [Reply(verdict, why, n == len(_givers(m)), label=f"{n}") for n, verdict in enumerate(verdicts, 1)]
    tones = dict.fromkeys(_givers(m), DOES) | {text.step("m"): NOTE}
    return Scene(
        _("Here is the whole sentence. How many of the **French** words look most at the one English word “gave”?"),
        (_lines(text),),
        Choose(replies),
        (_lines(text, tones),),
        _("il: he, m': me, a: has, donné: given, un: a, livre: book, intéressant: interesting."),
        _page(ADDITIVE),
    )


def _pieces(m: Found) -> Scene:
    text, step = m.work, m.work.step("ent")
    why = _(
        "“are” gets {are} of its look, “They” {they}: the ending says who works. So one French word looks at all three "
        "English ones."
    )
    replies = {
        text.at("They"): Reply(_("Close: it comes second."), why),
        text.at("are"): Reply(_("Yes, “are”."), why, True),
        text.at("working"): Reply(_("No: that became “travaill”."), why),
        text.at("."): Reply(_("No: it says nothing of who works."), why),
    }
    return Scene(
        _(
            "Long words are written in pieces: “travaill” looked at “working”. Tap the word that its ending “ent” "
            "looks at most."
        ),
        (_lines(text, under=step, press=range(len(text.english))),),
        Tap(replies),
        (_lines(text, {step: LOOK, text.step("travaill"): SOFT}, under=step),),
        _("I work: je travaille. They work: ils travaillent."),
        _page(ADDITIVE, english=WORK),
    )


def _force(m: Found) -> Scene:
    text, step, every = m.additive, m.additive.step("livre"), range(len(m.additive.english))
    yes = _(
        "Looking at the full stop, the translator is {its} sure of one, and is done: the book is lost. What it looks "
        "at, it mostly writes."
    )
    replies = {}
    for at, (whole, pieces, sure) in m.forced.items():
        ended, own = at == text.at("."), at == text.at("book")
        no = _("Looking at “{word}”, the translator is {its} sure of “{piece}”, and goes on: “{whole}”")
        if own:
            no = _("“book” is where the translator looked by itself: “{whole}”")
        row = [float(at == each) for each in every]
        shown = _lines(
            text, {step: LOOK}, rows=[row] * (step + 1), french=pieces, under=step, press=() if ended else every
        )
        told = {"word": text.english[at].strip(), "piece": pieces[step].strip(), "whole": whole, "its": little(sure)}
        verdict, why = (_("It ends."), yes) if ended else (_("Not yet."), no)
        replies[at] = Reply(verdict, why, ended, (shown,), told)
    return Scene(
        _(
            "After “un” the translator looked at “book” and wrote “livre”. Now **force** that look: tap words until "
            "the translation ends there."
        ),
        (_lines(text, {step: SOFT}, under=step, press=every),),
        Press(replies),
        hint=_("Each tap sends this one look to that word; all behind it is written anew. “un peu” says: a little."),
        behind=_page(ADDITIVE, aview="Force attention", apin=f"{step + 1}-{text.at('.') + 1}"),
    )


def _points(m: Found) -> Scene:
    text, step = m.dot, m.dot.step("livre")
    points, top = text.points[step], max(text.points[step])
    parts, shares = sorted(points, reverse=True)[:2], shared_out(points)  # exact: none is 0
    why = _(
        "**Softmax** makes shares of points: each point more makes a share 2.7 times as large, and “book” leads by "
        "{lead} points."
    )
    even = _("No: that is its part of the points of the two best.")
    replies = [
        Reply(_("No: then the two best would be alike."), why, label=percent(0.5)),
        Reply(even, why, label=percent(parts[0] / sum(parts))),
        Reply(_("Yes, nearly all."), why, text.looks[step][text.at("book")] > 0.995, label=_("nearly all")),
    ]

    def shown(told: bool) -> Picture:
        rows = []
        for at, word in enumerate(text.english):
            share = shares[at] if told else max(0.0, points[at] / top)
            says = "" if told else number(points[at], ".0f")
            rows.append(bar(word.strip(), share, LOOK if at == text.at("book") else SOFT, says=says))
        return (bars(*rows),)

    return Scene(
        _(
            "A **score** says how well the French so far fits each English word: here **dot**, in **points**. What "
            "share of the look does “book” get?"
        ),
        shown(False),
        Choose(replies),
        shown(True),
        _(
            "Three scores are in use. French and English are {d} numbers each: dot multiplies in pairs and adds. "
            "Another translator, which looks by dot, has written “un”. More points, more of the look; below 0 there is "
            "no bar."
        ),
        _scores(DOT, step),
    )


def _turned(m: Found) -> Scene:
    text, four = m.general, [m.general.step(piece) for piece in FOUR]
    why = _(
        "“{one}” goes to “{at_one}”, “{two}” to “{at_two}”. Of all {N} looks only those of “{first}” and “{last}” "
        "stay: the French has learnt to fit what W makes of a word."
    )
    replies = [
        Reply(_("No: then W would do nothing."), why, label=_("all four")),
        Reply(_("Yes, two."), why, True, label=_("two")),
        Reply(_("No: two stay."), why, label=_("none")),
    ]
    kept = {step: DOES if step in m.same() else NOTE for step in four}
    return Scene(
        _(
            "**General** first mixes each English word's numbers by a learned table, **W**, then goes on as dot. "
            "Without W, how many of these looks stay?"
        ),
        (_lines(text, dict.fromkeys(four, LOOK)),),
        Choose(replies),
        (_lines(text, kept, rows=m.turned),),
        _(
            "A third translator; drawn: the looks of four words. By W, each new number is a sum of all old ones, each "
            "times a number of the table. A look stays if it goes most to the same word."
        ),
        _scores(GENERAL, 0),
    )


def _squeezed(m: Found) -> Scene:
    text, three = m.additive, [m.additive.step(each) for each in ("un", "livre", "intéressant")]
    tones = dict(zip(three, (NOTE, LOOK, DOES)))
    why = _(
        "Unsqueezed, the French so far adds the same points to **every** English word, and softmax sees only "
        "differences. So all look alike."
    )
    replies = [
        Reply(_("No: they lose their own word."), why, label=_("each at its own word, more sharply")),
        Reply(_("Yes."), why, True, label=_("all at the same words")),
        Reply(_("No: a look is always 100%."), why, label=_("at nothing")),
    ]
    return Scene(
        _(
            "**Additive** mixes both lists of numbers, adds them, and squeezes each sum between −1 and 1. Without the "
            "squeeze, where do French words look?"
        ),
        (_lines(text, tones),),
        Choose(replies),
        (_lines(text, tones, rows=m.level),),
        _(
            "The translator of the first scenes. The squeezed sums, each times a learned number, add up to the points. "
            "Drawn: the looks of three words."
        ),
        _scores(ADDITIVE, three[1]),
    )


def _sure(m: Found) -> Scene:
    step = m.general.step("intéressant")
    why = _(
        "It is {sure} sure: “.” keeps a little of the words read before it. Forced to look at “interesting”, general "
        "is {forced} sure."
    )
    replies = guessed(why, _("It is a little more."), _("Less: it looks elsewhere."))

    def shown(told: bool) -> Picture:
        general = m.general.sure[step] if told else None
        rows = [bar("dot", m.dot.sure[step], SOFT), bar("additive", m.additive.sure[step], SOFT)]
        if told:
            rows.append(bar(_("general, forced"), m.sure, DOES))
        text = _lines(m.general, {step: LOOK}, under=step, share=0.6)
        return text, bars(bar("general", general, INK), *rows, share=0.4)

    return Scene(
        _("All three write “intéressant”, but general looks at “.” for it. How sure is general of that word? Drag."),
        shown(False),
        Drag(_("How sure general is of “intéressant”, in per cent"), _("Measure"), 100 * m.general.sure[step], replies),
        shown(True),
        _("Dot looks at “interesting” with {dots}, additive with {adds}."),
        _scores(GENERAL, step),
    )


def _page(model: str, **more: str) -> Behind:
    """A translation and its looks, as ribbons unless told otherwise."""
    return Behind("alignment", {"mt": model, "english": BOOK} | more)


def _scores(model: str, step: int) -> Behind:
    """Three scores beside one another, and one step of a model."""
    return _page(model, aview="Three scores", asin=model, astok=f"{step + 1}")


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    return [
        End(
            _("Each French word looks for its English: in another order, or two at one word, as “a donné” at “gave”."),
            (bars(bar("a", m.additive.look("a", "gave"), DOES), bar("donné", m.additive.look("donné", "gave"), DOES)),),
        ),
        End(
            _(
                "A score says how well French and English fit: dot multiplies and adds, general mixes by W first, "
                "additive adds and squeezes."
            ),
            (_lines(m.dot, {m.dot.step("livre"): LOOK}),),
        ),
        End(
            _(
                "The look makes the word: looking at “.”, general is {sure} sure of “intéressant”; forced to look at "
                "“interesting”, {forced}."
            ),
            (bars(bar(_("at “.”"), m.general.sure[m.general.step("intéressant")]), bar(_("forced"), m.sure, DOES)),),
        ),
    ]


LESSON = Lesson(
    "aligned",
    N_("Who translates what"),
    N_(
        "Where a translator looks for each word that it writes, three ways to score a look, and what happens if it is "
        "forced."
    ),
    ADDITIVE,
    BOOK,
    measure,
    words,
    plot,
    end,
    translation.model,
    measured_on=N_("Every number was measured on three small real models that translate English into French."),
    also=(DOT, GENERAL),
)
