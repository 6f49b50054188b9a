"""Lesson 12, "Where vectors come from": cat and dog never meet, and become alike, as they have the same neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tlmviz.figures.written import number, percent

from .. import words as word_models
from ..language import N_, _
from .company import (
    CAR,
    CAT,
    DOG,
    GROUPS,
    HOT,
    KING,
    NEAR,
    OFFERED,
    PUSH,
    QUEEN,
    ROWS,
    TEXT,
    TIMES,
    WALK,
    WORD,
    Found,
    measure,
)
from .parts import Again, Behind, Choose, Drag, End, Lesson, Part, Picture, Reply, Scene, choose, guessed
from .pictures import (
    DOES,
    INK,
    KEPT,
    LOOK,
    NONE,
    NOTE,
    SOFT,
    Place,
    bar,
    bars,
    cells,
    grid,
    line,
    numbers,
    plane,
    point,
    strip,
    way,
)

MODEL = "words-skipgram"
BESIDE = ("milk", DOG, "the")  # two that stand beside the cat, and one that never does


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    best = max(m.alike, key=m.alike.__getitem__)
    return {
        "d": f"{m.size[1]}",
        "times": f"{TIMES:,}",
        "word": WORD,
        "best": best,
        "alike": _cos(m.alike[best]),
        "n": f"{NEAR}",
        "cat": CAT,
        "dog": DOG,
        "car": CAR,
        "push": PUSH,
        "all": f"{sum(map(bool, m.small.counts[CAT]))}",
        "angle": number(m.small.angle, ".0f"),
        "hot": HOT,
        "cold": max(m.hot, key=m.hot.__getitem__),
        "cold_is": _cos(max(m.hot.values())),
        "a": WALK[0],
        "b": WALK[1],
        "c": WALK[2],
        "man": KING[0],
        "woman": KING[1],
        "king": KING[2],
        "queen": QUEEN,
        "ends": m.ends[0][0],
        "often": percent(m.often),
        "hits": f"{m.often * m.count:.0f}",
        "count": f"{m.count}",
        "pairs": f"{math.isqrt(m.count) + 1}",  # n pairs: n · (n − 1) steps
        "saw": max(m.walked, key=m.walked.__getitem__),
        "saw_is": _cos(max(m.walked.values())),
    }


def _shared(counts: Mapping[str, list[float]]) -> int:
    """How many words stand near both."""
    return sum(1 for one, two in zip(counts[CAT], counts[DOG]) if one and two)


def _cos(value: float) -> str:
    return number(value, ".2f")


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_meet, _task, _company, _push, _rows, _watch, _hot, _walk, _king)]


def _text(share: float, *marked: str) -> Part:
    """The small text with some of its words marked."""
    tokens = ["", *(part for word in TEXT.split() for part in _pieces(word))]
    at = [n for n, token in enumerate(tokens) if token.strip() in marked]
    return strip(tokens, blank="", swapped=at, share=share)


def _pieces(word: str) -> list[str]:
    return [f" {word[:-1]}", "."] if word[-1] == "." else [f" {word}"]


def _meet(m: Found) -> Scene:
    def shown(places: Mapping[str, Place], *told: str) -> Picture:
        points = (point(word, at, DOES if word in told else SOFT, word in told) for word, at in places.items())
        return _text(0.35, *told), plane(*points, share=0.65)

    why = _(
        "“{cat}” and “{dog}” lie on one another, though they **never meet** in a sentence. “milk” and “the” stand near "
        "“{cat}” and lie far from it. Why?"
    )
    replies = []
    for name in BESIDE:
        verdict = _("Yes, “{dog}”.") if name == DOG else _("No, not there.")
        replies.append(Reply(verdict, why, name == DOG, label=_("beside “{word}”", word=name)))
    return Scene(
        _(
            "Each word gets two numbers, its **vector**: a place, by chance at first. Reading the text again and again "
            "moves it. Where will “{cat}” end?"
        ),
        shown(m.small.start),
        Choose(replies),
        shown(m.small.end, CAT, DOG),
        _("A small model reads these sentences {times} times. Capital letters do not count."),
        Behind("word_vectors", {"wtext": TEXT}),
    )


def _task(m: Found) -> Scene:
    guesses = m.small.guesses
    why = _(
        "{shares}. A third each would be best, but two numbers per word are too few. The guesses are thrown "
        "away; the **vector** that they moved is kept."
    )

    def shown(told: bool) -> Picture:
        rows = [bar(PUSH, guesses[PUSH] if told else None, LOOK)]
        rows += [bar(word, share, SOFT) for word, share in guesses.items() if told and word != PUSH]
        tokens = ["", *(part for word in f"{TEXT.split('. ')[0]}.".split() for part in _pieces(word))]
        near = [at for at, token in enumerate(tokens) if token.strip().lower() in guesses]
        return strip(tokens, blank="", under=tokens.index(f" {CAT}"), swapped=near, share=0.5), bars(*rows, share=0.5)

    return Scene(
        _(
            "The model's one task: from a word, guess one near it, {n} away at most. From “{cat}”, how sure of "
            "“{push}” does it become? Drag."
        ),
        shown(False),
        Drag(
            _("How sure the model is of “{push}”, in per cent"),
            _("Let it guess"),
            100 * guesses[PUSH],
            guessed(why, _("A little more."), _("No: less."), _("Yes.")),
        ),
        shown(True),
        _(
            "The coloured words stand near “{cat}”. The model has read the text {times} times. The task is called "
            "skip-gram."
        ),
        Behind("word_vectors", {"wtext": TEXT}),
        words={"shares": ", ".join(f"“{word}” {percent(share)}" for word, share in guesses.items())},
    )


def _company(m: Found) -> Scene:
    small = m.small

    def shown(*told: str) -> Picture:
        rows = []
        for word in ROWS[: max(2, len(told))]:
            counts = small.counts[word]
            run = [(KEPT if count else NONE, 1, f"{count:.0f}" if count else "") for count in counts]
            rows.append(cells(word, word, *(run if word in told else [(NONE, 1, "?")] * len(run))))
        return _text(0.45, *ROWS), grid(len(small.company), *rows, heads=small.company, share=0.55)

    why = _(
        "“{cat}” and “{dog}” have the same neighbours, as often; “{car}” shares only “the”. So from both the same "
        "words must be guessed."
    )
    every, shared = sum(map(bool, small.counts[CAT])), _shared(small.counts)
    return Scene(
        _("Near “{cat}”, at most {n} away, stand {all} words. How many of these {all} stand near “{dog}” in the text?"),
        shown(CAT),
        choose(
            f"{shared}",
            ("0", _("No: then they would share nothing."), why),
            (f"{every // 2}", _("No: then they would hardly be alike."), why),
            (f"{every}", _("Yes, all of them."), why),
        ),
        shown(*ROWS),
        _("Each number says how often the word above it stands near. Across a full stop nothing counts."),
        Behind("word_vectors", {"wtext": TEXT}),
    )


def _push(m: Found) -> Scene:
    def shown(*told: str) -> Picture:
        ways = [way(word, *m.small.pushes[word], "", LOOK if word == DOG else DOES) for word in told]
        points = [point(word, m.small.pushes[word][0], tone, True) for word, tone in ((CAT, DOES), (DOG, LOOK))]
        if len(told) == 2:
            ways = [*(way(f"{word}-end", m.small.pushes[word][0], m.small.both) for word in told), *ways]
            points.append(point(_("both, in the end"), m.small.both))
        return (plane(*points, ways=ways),)

    why = _(
        "Each word has a second vector, as a neighbour: that of “{push}” pulls, all others push, and “{push}” gets "
        "likelier. So both arrows, {angle} degrees apart, lead one way."
    )
    return Scene(
        _(
            "The model reads “{push}” near “{dog}”: the arrow shows where that pushes “{dog}”. Then it reads “{push}” "
            "near “{cat}”. Where is “{cat}” pushed?"
        ),
        shown(DOG),
        choose(
            _("the same way"),
            (_("toward “{dog}”"), _("No: then “{dog}” would pull it."), why),
            (_("nowhere"), _("No: then it would learn nothing."), why),
            (_("the same way"), _("Yes."), why),
        ),
        shown(DOG, CAT),
        _(
            "Each push makes “{push}” easier to guess. “{cat}” and “{dog}” are where they lay by chance. The arrow is "
            "longer than one step."
        ),
        Behind("word_vectors", {"wvpart": "step", "wcenter": DOG, "wcontext": PUSH}),
    )


def _rows(m: Found) -> Scene:
    best = max(m.alike, key=m.alike.__getitem__)
    top = max(abs(each) for row in m.rows.values() for each in row)
    why = _("“{best}” is mostly large and small where “{word}” is: alike by {alike}, where 1 is the same.")

    def shown(told: bool) -> Picture:
        lines = [line(WORD, f"“{WORD}”", m.rows[WORD], "", LOOK, top)]
        for n, word in enumerate(OFFERED, 1):
            label, says = (f"“{word}”", _cos(m.alike[word])) if told else (_("row {n}", n=n), "?")
            lines.append(line(word, label, m.rows[word], says, DOES if told and word == best else SOFT, top))
        return (numbers(*lines),)

    replies = []
    for n, word in enumerate(OFFERED, 1):
        verdict = _("Yes.") if word == best else _("No: that is “{it}”, alike by {its}.")
        own = {"it": word, "its": _cos(m.alike[word])}
        replies.append(Reply(verdict, why, word == best, words=own, label=_("row {n}", n=n)))
    return Scene(
        _(
            "A real model has read millions of words, and has {d} numbers for each. The first row is “{word}”. Which "
            "one is “{best}”?"
        ),
        shown(False),
        Choose(replies),
        shown(True),
        _(
            "Each bar is one number; all rows are in the order in which those of “{word}” fall. Rows are alike by 1 if "
            "they are the same, by 0 if they have nothing in common: multiply number by number and add; then divide by "
            "the lengths of both as arrows."
        ),
        Behind("projector", {"wpm": MODEL, "wpw": WORD}),
    )


def _map(places: Mapping[str, Place]) -> Part:
    tones = {word: tone for tone, group in GROUPS.items() for word in group}
    return plane(*(point(word, at, tones[word]) for word, at in places.items()))


def _watch(m: Found) -> Scene:
    replies = []
    why = _("{own} of {all} lie nearest to a word of their own kind.")
    last = _(" Nobody told it the kinds: like neighbours have led like words together.")
    for read, places, own in list(zip(m.read, m.film, m.kinds))[1:]:
        told = {"read": f"{read:,}", "own": f"{own}", "all": f"{len(places)}"}
        done = read == m.read[-1]
        replies.append(Reply(_("{read} words read."), why + last * done, done, (_map(places),), told))
    return Scene(
        _("Sixteen words of the real model, coloured by kind. At first all lie by chance. Press to read on and watch."),
        (_map(m.film[0]),),
        Again(_("Read on"), replies),
        hint=_("{d} numbers cannot be drawn: here are the two directions in which the words differ most."),
        behind=Behind("projector", {"wpm": MODEL, "wpv": "Film"}),
    )


def _nearest(values: Mapping[str, float], why: str) -> Choose:
    """One of the words; the one with the largest value is right."""
    best, replies = max(values, key=values.__getitem__), []
    for name, value in values.items():
        verdict = _("Yes, “{it}”.") if name == best else _("No: “{it}” is alike by {its}.")
        replies.append(Reply(verdict, why, name == best, words={"it": name, "its": _cos(value)}, label=f"“{name}”"))
    return Choose(replies)


def _hot(m: Found) -> Scene:
    best = max(m.hot, key=m.hot.__getitem__)
    why = _(
        "“{cold}” is alike by {cold_is}. “It is hot”, “it is cold”: opposites have the same neighbours. The numbers "
        "know company, not meaning."
    )

    def shown(told: bool) -> Picture:
        rows = []
        for name, value in m.hot.items():
            tone = LOOK if told and name == best else SOFT
            rows.append(bar(name, max(0.0, value) if told else None, tone, says=_cos(value) if told else ""))
        return (bars(*rows),)

    return Scene(
        _("Now you know how it learns. Whose numbers are most like those of “{hot}”?"),
        shown(False),
        _nearest(m.hot, why),
        shown(True),
        _("1 would be the same numbers, 0 nothing in common."),
        Behind("projector", {"wpm": MODEL, "wpw": HOT}),
    )


def _walk(m: Found) -> Scene:
    (ax, ay), (bx, by), (cx, cy) = (m.around[word] for word in WALK)
    goal = cx + bx - ax, cy + by - ay
    best = max(m.walked, key=m.walked.__getitem__)
    tones = {WALK[0]: INK, WALK[1]: INK, WALK[2]: LOOK}

    def shown(told: bool) -> Picture:
        points = [point(word, m.around[word], tones[word]) for word in WALK]
        for word, value in m.walked.items() if told else ():
            points.append(point(f"{word} {_cos(value)}", m.around[word], NOTE, word == best))
        ways = way("ab", (ax, ay), (bx, by)), way("cd", (cx, cy), goal, "" if told else "?", LOOK)
        return (plane(*points, ways=ways),)

    why = _(
        "“{saw}” is nearest, alike by {saw_is}. From now to then the way is much the same, though nobody said what a "
        "past tense is."
    )
    return Scene(
        _("An arrow leads from “{a}” to “{b}”. Go the **same** way from “{c}”. Whose numbers are nearest to its end?"),
        shown(False),
        _nearest(m.walked, why),
        shown(True),
        _(
            "The words that are given do not count. Arrows of {d} numbers are drawn flat, so what lies near "
            "here may be far."
        ),
        Behind("projector", {"wpm": MODEL, "wpv": "Analogies", "wpa": WALK[0], "wpb": WALK[1], "wpq": WALK[2]}),
    )


def _king(m: Found) -> Scene:
    what = _("It is a habit of the numbers, and no rule: nearest to this end is “{ends}”, not “{queen}”.")
    replies = guessed(
        what, _("Too low: {hits} of {count}."), _("Too high: {hits} of {count}."), _("Yes: {hits} of {count}.")
    )

    def shown(told: bool) -> Picture:
        row = bar(_("end right"), m.often if told else None, LOOK, "often")
        (ax, ay), (bx, by), (cx, cy) = (m.court[word] for word in KING)
        points = [point(word, m.court[word], LOOK if word == KING[2] else INK) for word in KING]
        for n, (word, value) in enumerate(m.ends if told else ()):
            points.append(point(f"{word} {_cos(value)}", m.court[word], NOTE, not n))
        to = way("cd", (cx, cy), (cx + bx - ax, cy + by - ay), "" if told else "?", LOOK)
        return bars(row, share=0.3), plane(*points, ways=(way("ab", (ax, ay), (bx, by)), to), share=0.7)

    return Scene(
        _(
            "They say: the arrow from “{man}” to “{woman}” leads from “{king}” to “{queen}”. How many of all such "
            "arrows end right? Drag."
        ),
        shown(False),
        Drag(_("Arrows that end right, in per cent"), _("Try them all"), 100 * m.often, replies, within=5),
        shown(True),
        _(
            "{pairs} pairs of him and her, as boy and girl; the step of each pair is tried from each other “him”: "
            "{count}. Arrows of {d} numbers are drawn flat."
        ),
        Behind("projector", {"wpm": MODEL, "wpv": "Analogies", "wpa": KING[0], "wpb": KING[1], "wpq": KING[2]}),
    )


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    hot = bars(*(bar(name, max(0.0, value), SOFT, says=_cos(value)) for name, value in m.hot.items()))
    near = [point(word, at, DOES if word in (CAT, DOG) else SOFT) for word, at in m.small.end.items()]
    return [
        End(
            _("A word's vector is learnt by guessing its neighbours. Words with the same ones are pushed alike."),
            (plane(*near),),
        ),
        End(
            _(
                "So “{cat}” and “{dog}” lie together, though they never meet, and animals, colours and numbers find "
                "each other."
            ),
            (_map(m.film[-1]),),
        ),
        End(
            _(
                "The numbers know company, not meaning: “{hot}” is like “{cold}”. Arrows from him to her end right in "
                "{often}."
            ),
            (hot,),
        ),
    ]


LESSON = Lesson(
    "vectors",
    N_("Where vectors come from"),
    N_("Cat and dog never meet, and become alike: what a model learns of words by guessing who stands around them."),
    MODEL,
    "",
    measure,
    words,
    plot,
    end,
    word_models.model,
    measured_on=N_(
        "The small model learnt when the lesson opened; all else was measured on a model that read a million words of "
        "stories and sentences four times."
    ),
)
