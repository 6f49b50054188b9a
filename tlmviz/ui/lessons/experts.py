"""Lesson 11, "Experts": a few of many networks read each word, what they read, and the bias that keeps them all at
work."""

from __future__ import annotations

from collections.abc import Sequence

from tlmviz.figures.written import number, percent

from ..language import N_, _
from .measures import word
from .parts import Again, Behind, Drag, End, Lesson, Picture, Reply, Scene, choose, guessed
from .pictures import AGAIN, DOES, INK, LOOK, NEW, NONE, SOFT, bar, bars, cells, grid, line, numbers, stepped, steps
from .routed import (
    ANIMALS,
    DENSE,
    EARLY,
    FRAME,
    LIKE,
    MODEL,
    PRESSES,
    RATE,
    STORY,
    THINGS,
    THIRD,
    TIMES,
    Found,
    measure,
)

NAMES = "ABCDEFGH"


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    one, other, dog = *m.sizes, m.chosen[_at(m, "dog")]
    who, full = NAMES[m.who], NAMES[m.full]
    late = m.moved[-1][0]
    return {
        "who": who,
        "full": full,
        "numbers": _million(one.total),
        "works": percent(one.active / one.total),
        "pays": percent(m.parts[2] / one.total),
        "every": percent((m.parts[0] + m.parts[1]) / one.total),
        "pair": _pair(dog),
        "the": _pair(m.chosen[_at(m, "dog", 1) - 1]),
        "elsewhere": _pair(m.dog),
        "busy": _pair(_busy(m)),
        "tokens": f"{m.surveyed:,}",
        "girl": percent(m.shares["girl"]),
        "load": percent(m.load),
        "w": NAMES[m.elsewhere["was"][0]],
        "t": NAMES[m.elsewhere["the"][0]],
        "animals": _of(m, ANIMALS),
        "things": _of(m, THINGS),
        "like": _of(m, LIKE),
        "steps": str(EARLY),
        "most": str(m.moved[0][0][m.full]),
        "all": str(len(m.tokens)),
        "even": number(2 * len(m.tokens) / len(NAMES), ".1f"),
        "least": str(min(late)),
        "top": str(max(late)),
        "rate": str(RATE),
        "times": str(TIMES),
        "right": percent(m.right[0]),
        "kept": percent(m.right[1]),
        "asked": str(m.asked),
        "bits": number(m.bits[0], ".3f"),
        "dense": number(m.bits[1], ".3f"),
        "fewer": number(1 - m.bits[0] / m.bits[1], ".0%"),
        "small": _million(other.total),
    }


def _million(count: int) -> str:
    return number(count / 1e6, ".1f")


def _pair(experts: Sequence[int]) -> str:
    return _("{one} and {other}", one=NAMES[experts[0]], other=NAMES[experts[1]])


def _busy(m: Found) -> list[int]:
    """The two experts that soon read most in training."""
    return sorted(sorted(range(len(NAMES)), key=m.early[1].__getitem__)[-2:])


def _of(m: Found, those: tuple[str, ...]) -> str:
    return _("{n} of {all}", n=m.read[those], all=len(those))


def _at(m: Found, name: str, nth: int = 0) -> int:
    return [at for at, token in enumerate(m.tokens) if word(token) == name][nth]


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes, all on the lesson's own story."""
    return [scene(m) for scene in (_route, _cost, _reads, _animals, _crowd, _bias, _silent, _dense)]


def _routes(m: Found, first: int, last: int, known: int = 99, lit: int | None = None, share: float = 1.0) -> Picture:
    """Words as rows and experts as columns, as far as `known`; the column `lit` in a colour of its own."""
    rows = []
    for at in range(first, last):
        reads = m.chosen[at] if at < known else []
        run = [(NONE if n not in reads else AGAIN if n == lit else NEW, 1, "") for n in range(len(NAMES))]
        rows.append(cells(f"row-{at}", word(m.tokens[at]), *run, says="" if at < known else "?"))
    return (grid(len(NAMES), *rows, heads=[*NAMES], share=share),)


def _each(values: Sequence[float], lit: Sequence[int] = (), says: Sequence[str] = ()) -> Picture:
    """A bar for each expert."""
    those = zip(NAMES, values, says or [percent(each) for each in values])
    rows = [bar(name, each, LOOK if n in lit else INK, name, told) for n, (name, each, told) in enumerate(those)]
    return (bars(*rows),)


def _page(**link: str) -> Behind:
    return Behind("experts", {"text": STORY, "xlay": str(THIRD), **link})


def _route(m: Found) -> Scene:
    dog = _at(m, "dog", 1)
    why = _(
        "The router scores all eight, and the two best get it: {pair}. Words before it count, too: after “Tom saw a”, "
        "“dog” goes to {elsewhere}."
    )
    return Scene(
        _(
            "A **router** sends each word to two of eight small networks, its **experts**. Which two get “dog” the "
            "second time?"
        ),
        _routes(m, 1, dog + 1, dog),
        choose(
            "{pair}",
            ("{the}", _("“the” went there."), why),
            ("{pair}", _("Yes, where it went before."), why),
            (_("the two least busy"), _("Not in this story."), why),
        ),
        _routes(m, 1, dog + 1),
        _(
            "An expert takes a word’s row of numbers and gives one back; both answers are added. A ninth network, not "
            "shown, reads every word. This is the third of four layers."
        ),
        _page(xtok=str(dog)),
    )


def _cost(m: Found) -> Scene:
    whole, at_work = m.sizes[0].total, m.sizes[0].active / m.sizes[0].total
    labels = _("words and attention"), _("the ninth network"), _("two experts"), _("six that wait")
    parts = [bar(label, count / whole, SOFT) for label, count in zip(labels, (*m.parts, whole * (1 - at_work)))]
    what = _(
        "The two experts hold {pays}. Attention, the ninth network and the rows for words, {every}, work each time: "
        "{works} in all. Six experts wait."
    )
    return Scene(
        _(
            "All experts must be stored: the next word may need any. Of all {numbers} million numbers, how many work "
            "on one word? Drag."
        ),
        (*_routes(m, 1, 7, share=0.7), bars(bar(_("at work"), None), share=0.3)),
        Drag(
            _("How many work, in per cent"),
            _("Count"),
            100 * at_work,
            guessed(what, _("It is more."), _("It is less.")),
            start=90,
        ),
        (bars(bar(_("at work"), at_work), *parts),),
        _("The numbers are what the model has learnt."),
        _page(xview="Cost"),
    )


def _reads(m: Found) -> Scene:
    label = _("“{word}”, by {expert}")
    rows = [
        bar(label.format(expert=NAMES[m.who], word=each), m.shares[each], DOES)
        for each in ("girl", "boy", "day", "time")
    ]
    rows.append(bar(_("all words, by {expert}", expert=NAMES[m.who]), m.load, SOFT))
    rows += [bar(label.format(expert=NAMES[n], word=each), share, INK) for each, (n, share) in m.elsewhere.items()]
    why = _(
        "{who} reads {girl} of all “girl”, and {load} of all words; {w} reads “was”, {t} reads “the”. Nobody told them "
        "to: training found it."
    )
    return Scene(
        _(
            "{who} reads “dog”, “ball”, “boy”. In other stories, {tokens} words and signs, "
            "which of these does it nearly always read?"
        ),
        _routes(m, 1, len(m.tokens), lit=m.who),
        choose(
            _("“girl”"),
            (_("“was”"), _("No thing, no person."), why),
            (_("“girl”"), _("Yes, “girl”."), why),
            (_("“the”"), _("It only stands before such words."), why),
        ),
        (bars(*rows),),
        _("The column of {who} has a colour of its own."),
        _page(xview="Load"),
    )


def _animals(m: Found) -> Scene:
    named = {_("animals"): ANIMALS, _("things"): THINGS, _("red, big, little"): LIKE}
    told = [bar(label, m.read[those] / len(those), DOES, says=_of(m, those)) for label, those in named.items()]
    why = _(
        "It reads {animals} animals, {things} things, {like} of “red, big, little”: nearer to a kind of word, "
        "**nouns**, than to a topic."
    )
    return Scene(
        _("“Tom saw a cat”, “Tom saw a car”: eight animals, eight things. Which of them does {who} read?"),
        (bars(*(bar(label, None) for label in named)),),
        choose(
            _("both"),
            (_("animals only"), _("No: then “car” would go elsewhere."), why),
            (_("half of each"), _("No: then chance would decide."), why),
            (_("both"), _("Yes, both."), why),
        ),
        (bars(*told),),
        _("Animals: {one}. Things: {other}.", one=", ".join(ANIMALS), other=", ".join(THINGS)),
        _page(text=FRAME.format("cat")),
    )


def _crowd(m: Found) -> Scene:
    before, after = m.early
    why = _("{busy} read nearly all. Who reads learns, answers better, and is chosen again. The others learn nothing.")
    return Scene(
        _(
            "Back to when training began, in the last layer: how many of all words each expert got. And after {steps} "
            "steps?"
        ),
        _each(before),
        choose(
            _("nearly all go to two"),
            (_("about as now"), _("It changes fast."), why),
            (_("all get alike"), _("That does not come by itself."), why),
            (_("nearly all go to two"), _("Yes."), why),
        ),
        _each(after, _busy(m)),
        _("Each word goes to two: all shares together are 200%. The letters are not the third layer's experts."),
        Behind("experts", {"xview": "Training"}),
    )


def _signed(bias: float) -> str:
    return number(bias, "+.2f") if bias else "0"


def _bias(m: Found) -> Scene:
    shown = []
    for counts, biases in m.moved:
        told = f"{NAMES[m.full]}: {counts[m.full]}", f"{NAMES[m.full]}: {_signed(biases[m.full])}"
        rows = (
            line("words", _("words"), counts, told[0], DOES, top=len(m.tokens)),
            line("bias", _("bias"), biases, told[1], LOOK, PRESSES * TIMES * RATE, NAMES),
        )
        shown.append((numbers(*rows, at=m.full),))
    reasons = (
        _("The router adds biases to its scores and takes the two highest: some words go elsewhere now."),
        _("The bias only chooses. How much an expert's answer counts, its score alone says."),
        _("Its bias falls on, and that of those with too few rises. Even would be {even} for each."),
        _("Each has from {least} to {top} now, and even would be {even}. So every expert has words to learn from."),
    )
    replies = []
    for n, (why, picture) in enumerate(zip(reasons, shown[1:]), 1):
        own = {"n": str(m.moved[n][0][m.full])}
        replies.append(Reply(_("{full} gets {n}."), why, n == PRESSES, picture, own))
    return Scene(
        _(
            "A **bias** for each expert is raised where words are few, lowered where many. Taken off the trained "
            "model, {full} gets {most} of {all}. Press."
        ),
        shown[0],
        Again(_("Move the biases"), replies),
        hint=_(
            "The last layer on our story: above, words and signs for each expert; below, its bias. A press is {times} "
            "moves by {rate}."
        ),
        behind=_page(xview="Mute & force", xbias="removed"),
    )


def _silent(m: Found) -> Scene:
    whole, left = (bar(_("all at work"), m.right[0], INK), bar(_("without {who}", who=NAMES[m.who]), None, LOOK))
    why = _(
        "It is {kept}: the next best experts get those words, and attention, the ninth network and a second expert "
        "work on them anyway."
    )
    return Scene(
        _(
            "{right} of the next words are guessed right in a story. Now {who} is **silenced**, who read “dog”, “ball” "
            "and “boy”. How many then?"
        ),
        (bars(whole, left),),
        choose(
            _("about as many"),
            (_("hardly any"), _("No: then all words would need {who}."), why),
            (_("half as many"), _("No: then half of them would need {who}."), why),
            (_("about as many"), _("Yes."), why),
        ),
        (bars(whole, {**left, "share": m.right[1]}),),
        _("At {asked} places of a story."),
        _page(xview="Mute & force", xmute=f"{THIRD}.{m.who}"),
    )


def _dense(m: Found) -> Scene:
    def shown(told: bool) -> Picture:
        named = zip((_("with experts"), _("without")), m.bits, (DOES, INK))
        marks = (1, 1.1, 1.2)
        lines = (
            stepped(label, label, marks, [bits] if told else [], number(bits, ".3f") if told else "?", tone)
            for label, bits, tone in named
        )
        return (steps(marks[0], marks[-1], *lines, named=[(each, number(each, ".1f")) for each in marks]),)

    why = _(
        "With experts a letter costs {bits} bits, without {dense}: {fewer} fewer. The price is room: {numbers} million "
        "numbers, and not {small}."
    )
    return Scene(
        _(
            "A model **without experts** computes as much for a word: all of its {small} million numbers. "
            "Which guesses new stories better?"
        ),
        shown(False),
        choose(
            _("with experts"),
            (_("without"), _("All its numbers work, but there are fewer."), why),
            (_("both alike"), _("Computing is alike, room is not."), why),
            (_("with experts"), _("Yes, a little."), why),
        ),
        shown(True),
        _("Bits: how surprised a model is, for each letter of stories that it has not seen. Fewer is better."),
        _page(xview="Cost"),
    )


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    return [
        End(
            _("A router sends each word to a few of many experts: little computing, but all must be stored."),
            _routes(m, 1, 6),
        ),
        End(
            _("An expert may come near to a kind of word, as {who} to nouns. One of many is hardly missed."),
            _routes(m, 1, 6, lit=m.who),
        ),
        End(
            _("A bias is raised where words are few and lowered where they are many, so all experts are at work."),
            (numbers(line("words", "", m.moved[-1][0], "", DOES)),),
        ),
    ]


LESSON = Lesson(
    "experts",
    N_("Experts"),
    N_("A few of many networks read each word. Who reads what, and what if all words want the same one?"),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
    measured_on=N_(
        "Every number was measured on two small real models, one with eight experts in each of four layers."
    ),
    also=(DENSE,),
)
