"""Lesson 10, "Streams that neither fade nor explode": what one stream carries and what four do, mixed at every step by
free tables and by bound ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from tlmviz.analysis.streams.mixing import composite
from tlmviz.figures.written import number, percent

from ..language import N_, _
from .measures import HALF, little
from .mixed import BOUND, EARLY, EMPTY, FOUR, FREE, HOLDS, MODELS, ONE, SHOWN, STORY, Found, growth, measure
from .parts import Again, Behind, Choose, End, Lesson, Picture, Reply, Scene, choose
from .pictures import DOES, INK, LOOK, SOFT, bar, bars, line, matrix, numbers, strip

MORE, FEW = 0.1, 6  # what a step adds in the first scene; steps that are told before an answer


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    steps, row, free = len(m.free), m.table[m.most], growth(m.free)
    guesser, (guess, chance) = m.guess
    return {
        "steps": f"{steps}",
        "few": f"{FEW}",
        "more": percent(MORE),
        "grown": number((1 + MORE) ** steps, ".0f"),
        "shrunk": number((1 - MORE) ** steps, ".1%"),
        "plain": number(1 + MORE * steps, ".1f"),
        "rate": number(1000 ** (1 / steps) - 1, ".0%"),
        "short": f"{m.steps}",
        "early": f"{EARLY}",
        "it": m.says[0][0],
        "out": m.says[1][0],
        "silent": percent(m.silent[1]),
        "alone": little(m.holds[0]),
        "keeper": f"{m.keeper}",
        "kept": percent(m.holds[m.keeper]),
        "other": m.alone[0],
        "surely": percent(m.alone[1]),
        "guesser": f"{guesser}",
        "guess": guess,
        "chance": percent(chance),
        "n": f"{m.most + 1}",
        "row": " + ".join(_two(row)),
        "sum": _two([row.sum()])[0],
        "own": _two(row)[m.most],
        "mean": _two([row.mean()])[0],
        "huge": _round(free[-1]),
        "later": _two([m.free[1:].sum(2).max()])[0],
        "so": number(free[FEW - 1], ".0f"),
        "largest": _round(m.largest[0]),
        "tame": _round(m.largest[1]),
        "half": f"{HALF:,.0f}",
        "top": number(max(HOLDS), ".0f"),
        "all": number(sum(HOLDS), ".0f"),
        "average": number(sum(HOLDS) / len(HOLDS), ".0f"),
        "left": number(float(torch.tensor(EMPTY).double().sum(0) @ torch.tensor(HOLDS).double()), ".0f"),
        "each": percent(float(composite(m.bound)[:, 0].max())),
        "whole": percent(float(composite(m.bound)[:, 0].sum())),
    }


def _round(value: float) -> str:
    """A large number in three digits."""
    return f"{float(f'{value:.3g}'):,.0f}"


def _two(values: Iterable[Tensor | float]) -> list[str]:
    return [number(float(each), ".2f") for each in values]


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes; none of them asks for a sentence."""
    return [scene(m) for scene in (_grow, _add, _four, _mix, _deep, _share, _fade, _sinkhorn, _bound)]


def _steps(
    label: str, values: Sequence[float], says: str, told: int | None = None, tone: str = INK
) -> dict[str, object]:
    """A row of what is held after each step, of which the first ones are `told`, or all; one that stays is half as
    high."""
    shown = [value if told is None or n < told else None for n, value in enumerate(values)]
    top = max(value for value in shown if value is not None) if told else max(values)
    high = 2 * top if min(values) > 0.9 * top else top
    return line(label, label, shown, says if told is None else "?", tone, high)


def _table(
    values: Iterable[Iterable[Tensor | float]],
    right: Sequence[str],
    title: str,
    columns: Sequence[str] = (),
    **more: Any,
) -> Picture:
    """A table that makes new streams of old ones; of what `columns` name, else of all by number."""
    rows = [[float(each) for each in row] for row in values]
    names, olds = ([each.format(n=n + 1) for n in range(len(rows))] for each in (_("new {n}"), _("old {n}")))
    return (matrix(rows, names, columns or olds, right=right, titles=(title, _("sum")), **more),)


def _sums(table: Tensor) -> Picture:
    return _table(table, _two(table.sum(1)), _("sum"), below=_two(table.sum(0)))


def _grows(m: Found, told: int | None = None) -> list[dict[str, object]]:
    steps = range(1, len(m.free) + 1)
    rows = ((_("{more} more"), MORE, "× {grown}", LOOK), (_("{more} less"), -MORE, "{shrunk}", DOES))
    named, filled = words(m, m), []
    for label, change, says, tone in rows:
        values = [(1 + change) ** n for n in steps]
        filled.append(_steps(label.format(**named), values, says.format(**named), told, tone))
    return filled


def _grow(m: Found) -> Scene:
    why = _("Each step enlarges what the one before made. With {more} less each time the row fades: {shrunk} is left.")
    return Scene(
        _(
            "A word, as a row of numbers, passes {steps} steps of a deep model. If each makes it {more} larger, how "
            "many times as large?"
        ),
        (numbers(_grows(m, FEW)[0]),),
        choose(
            _("{grown} times"),
            (_("{plain} times"), _("No, {grown}: then each step would add {more} of the start."), why),
            (_("{grown} times"), _("Yes, {grown}: it explodes."), why),
            (_("1,000 times"), _("No, {grown}: then each step would add {rate}."), why),
        ),
        (numbers(*_grows(m)),),
        _("The bars are the first {few} steps."),
    )


def _add(m: Found) -> Scene:
    (came, went), ((it, first), (out, sure)) = m.ends, m.says
    why = _(
        "A stream carries its word and all that steps add. What goes in is passed on whole, × 1, neither exploding nor "
        "fading: a **residual** connection."
    )

    def shown(values: Sequence[float], says: str, share: float, told: str, begins: str = "") -> Picture:
        rows = (
            line("in", _("goes in"), came, begins, INK),
            line("out", told, values, f"“{says}” {percent(share)}", LOOK),
        )
        return strip(m.tokens, blank="", under=len(m.tokens) - 1, share=0.36), numbers(*rows, share=0.64)

    return Scene(
        _(
            "In most models steps only **add** to a word’s row, its **stream**. Silence all {short} steps: what will "
            "the stream of “{it}” say?"
        ),
        shown(went, out, sure, _("comes out")),
        choose(
            "“{it}”",
            (_("no word at all"), _("No, still “{it}”, {silent} sure."), why),
            ("“{it}”", _("Yes, “{it}”, {silent} sure."), why),
            ("“{out}”", _("No, still “{it}”, {silent} sure: steps add “{out}”."), why),
        ),
        shown(came, *m.silent, _("comes out, steps silent"), f"“{it}” {percent(first)}"),
        _(
            "A small model of {short} steps. A stream says the word that the model’s last part guesses from it. Drawn: "
            "its first {count} numbers."
        ),
        _page("Streams", ONE),
        words={"count": f"{SHOWN}"},
    )


def _four(m: Found) -> Scene:
    held = sum(share > 0.5 for share in m.holds[1:])
    guesser, (guess, chance) = m.guess
    label = _("stream {n}: “{word}”")

    def shown(told: bool) -> Picture:
        rows = [bar(_("one stream: “{word}”", word=m.says[0][0]), m.holds[0], SOFT)]
        for n, share in enumerate(m.holds[1:], 1):
            rows.append(bar(label.format(n=n, word=m.says[0][0]), share if told else None, DOES))
        if told:
            rows.append(bar(label.format(n=guesser, word=guess), chance, LOOK))
            rows.insert(1, bar(_("one stream: “{word}”", word=m.alone[0]), m.alone[1], LOOK))
        return (bars(*rows),)

    why = _(
        "Stream {keeper} keeps “{it}”, {kept}; stream {guesser} guesses “{guess}”, {chance}. In one stream “{it}” is "
        "still in the sum, but drowned by what steps added: “{other}”, {surely}."
    )
    verdicts = _("No: then they would be no better than one."), _("No: one does."), _("No: then all would do the same.")
    labels = _("in none"), _("in one"), _("in all four")
    right = 0 if not held else 2 if held == len(m.holds) - 1 else 1
    replies = [
        Reply(_("Yes, {it}.", it=label) if n == right else verdict, why, n == right, label=label)
        for n, (label, verdict) in enumerate(zip(labels, verdicts))
    ]
    return Scene(
        _(
            "After {early} steps one stream says “{it}” no more. Another model has **four** streams for each word. "
            "In how many is “{it}” the first guess?"
        ),
        shown(False),
        Choose(replies),
        shown(True),
        _("Bars: how surely a stream says “{it}” after {early} of {short} steps. At first all say “{it}”."),
        _page("Streams", FOUR),
    )


def _mix(m: Found) -> Scene:
    unknown, known = ["?" if n == m.most else "" for n in range(len(m.table))], _two(m.table.sum(1))
    why = _(
        "New stream {n} takes so much of each: {row} = {sum}. Training found the table, and nothing binds its numbers."
    )
    return Scene(
        _(
            "At each step a **table** mixes the four, each holding 1. Row {n} says what new stream {n} takes of them. "
            "What will it hold?"
        ),
        _table(m.table, unknown, _("holds"), lit=m.most),
        choose(
            "{sum}",
            ("{mean}", _("No: that is the mean of the row."), why),
            ("{own}", _("No: then it would take only of old {n}."), why),
            ("{sum}", _("Yes, the sum of the row."), why),
        ),
        _table(m.table, known, _("holds"), lit=m.most),
        _(
            "Such mixing: **hyper-connections**. This table, a deeper model’s, is **free**: training may write any "
            "numbers. To follow only the size, let each stream be one number: 1."
        ),
        _page("Matrices"),
    )


def _deep(m: Found) -> Scene:
    grown, label = growth(m.free), _("largest stream")
    why = _(
        "Tables after the first make at most {later} of 1, but nearly all enlarge what comes in: {huge}. Numbers of 16 "
        "bits (FP16) end at {half}."
    )
    return Scene(
        _(
            "That deeper model mixes at {steps} steps, each time by another table. All streams begin with 1. What does "
            "the largest hold at last?"
        ),
        (numbers(_steps(label, grown, "", FEW)),),
        choose(
            _("about {huge}"),
            (_("about {so}"), _("No: then later tables would do nothing."), why),
            (_("about 1,000"), _("No, far more."), why),
            (_("about {huge}"), _("Yes, it explodes."), why),
        ),
        (numbers(_steps(label, grown, words(m, m)["huge"], None, LOOK)),),
        _("By tables alone, without what steps add. The bars are the first {few} steps: {so} so far."),
        _page("Depth"),
    )


def _mixed(table: Tensor) -> tuple[list[str], list[str]]:
    """What streams hold before a table mixes them, as its columns are named, and after."""
    new = table @ torch.tensor(HOLDS).double()
    return [_("holds {n}", n=number(each, ".0f")) for each in HOLDS], _two(new)


def _share(m: Found) -> Scene:
    table, (holds, new) = m.shared, _mixed(m.shared)
    why = _("The row 0, 0, 0, 1 takes the {top} alone. A mixture is never above its largest part, so nothing explodes.")
    return Scene(
        _(
            "No number is below 0, each **row** adds up to 1. Streams hold 1, 1, 1, {top}. What can **any** such row "
            "make at most?"
        ),
        _table(table, _two(table.sum(1)), _("sum"), holds),
        choose(
            "{top}",
            ("{average}", _("No, that is the mean."), why),
            ("{top}", _("Yes, {top}."), why),
            ("{all}", _("No: a row that takes all of all four adds up to 4."), why),
        ),
        _table(table, new, _("new"), holds),
        _("A table of another model, all of whose rows add up to 1."),
        behind=_page("Matrices", BOUND),
    )


def _fade(m: Found) -> Scene:
    holds, new = _mixed(torch.tensor(EMPTY).double())
    why = _(
        "No row takes of the {top}, so it is lost: {left} of {all} are left. **Columns** must add up to 1, too: then "
        "nothing is lost."
    )
    return Scene(
        _("Here rows add up to 1, too. Together the streams hold {all}. How much will the new ones hold **together**?"),
        _table(EMPTY, ["?"] * len(new), _("new"), holds),
        choose(
            "{left}",
            ("{left}", _("Yes, {left}."), why),
            ("{top}", _("No: that is what the last stream held."), why),
            ("{all}", _("No: then nothing would get lost."), why),
        ),
        _table(EMPTY, new, _("new"), holds),
        _("This table is an example."),
    )


def _sinkhorn(m: Found) -> Scene:
    verdicts, replies = (_("Rows divided."), _("Columns divided.")), []
    first = _("Each row adds up to 1 now, but columns are off by up to {off}.")
    again = _("But that changed the rows again: rows are off by up to {off}.")
    last = _("All sums are 1.00: the table is **doubly stochastic**. This is the method of Sinkhorn.")
    for n, table in enumerate(m.divided):
        done, why = n == len(m.divided) - 1, again if n % 2 else first
        off = {"off": _two([max((table.sum(axis) - 1).abs().max() for axis in (0, 1))])[0]}
        replies.append(Reply(verdicts[n % 2], last if done else why, done, _sums(table), off))
    typed = "\n".join(" ".join(f"{float(each):.2f}" for each in row) for row in m.table)
    return Scene(
        _(
            "Back to the first table. Divide rows by their sums, then columns, then rows … Press until all sums are "
            "1.00."
        ),
        _sums(m.table),
        Again(_("Divide"), replies),
        hint=_("Sums stand beside the rows and below the columns. All numbers are rounded to two places."),
        behind=Behind("mhc", {"sview": "Sinkhorn dial", "sds": "Own matrix", "sdm": typed}),
    )


def _bound(m: Found) -> Scene:
    shares = [float(each) for each in composite(m.bound)[:, 0]]
    names = [_("stream {n}", n=n + 1) for n in range(len(shares))]
    why = _(
        "Each holds {each}, together {whole}; free tables made {huge} of 1. With what steps add, numbers reach {tame} "
        "here, {largest} there. Streams differ only through what steps write."
    )

    def shown(values: Sequence[float]) -> Picture:
        return (bars(*(bar(name, value, DOES) for name, value in zip(names, values))),)

    return Scene(
        _(
            "In **mHC** all {steps} tables are bound so. At first, stream 1 alone holds something, 100%. Where is it "
            "after {steps} tables?"
        ),
        shown([1.0] + [0.0] * (len(shares) - 1)),
        choose(
            _("a quarter in each"),
            (_("still in stream 1"), _("No: then the tables would mix nothing."), why),
            (_("lost on the way"), _("No: columns add up to 1."), why),
            (_("a quarter in each"), _("Yes."), why),
        ),
        shown(shares),
        behind=_page("Depth", BOUND),
        hint=_("mHC: manifold-constrained hyper-connections. Bars: by tables alone, without what steps add."),
    )


def _page(view: str, model: str = FREE) -> Behind:
    return Behind("mhc", {"smodel": model, "sview": view, "text": STORY})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    return [
        End(
            _(
                "Steps add to a stream. One stream has to do all; of four, one keeps the word “{it}”: {kept}, not "
                "{alone}."
            ),
            (bars(bar(_("one"), m.holds[0], SOFT), bar(_("of four"), m.holds[m.keeper], DOES)),),
        ),
        End(
            _(
                "Free tables make {huge} of 1. Where rows add up to 1 nothing explodes, where columns do nothing is "
                "lost."
            ),
            (numbers(line("free", "", growth(m.free), "", LOOK), line("bound", "", growth(m.bound), "", DOES, 2)),),
        ),
        End(
            _("Sinkhorn’s method makes such tables: divide rows by their sums, then columns, and again."),
            _sums(m.divided[-1]),
        ),
    ]


LESSON = Lesson(
    "streams",
    N_("Streams that neither fade nor explode"),
    N_("What does a word’s stream carry, and what do four? Many mixings make a huge number of 1: what keeps it a 1?"),
    MODELS[0],
    STORY,
    measure,
    words,
    plot,
    end,
    measured_on=N_(
        "Everything was measured on four small real models; the tables are those of two with 24 layers each."
    ),
    also=MODELS[1:],
)
