"""Lesson 10, "Streams that neither fade nor explode": four streams mixed at every step, by free tables and by bound
ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tlmviz.analysis.streams.mixing import composite, mixing_of
from tlmviz.figures.written import number, percent

from .. import compute
from ..language import N_, _
from .parts import Again, Behind, Drag, End, Lesson, Part, Picture, Reply, Scene, choose, guessed
from .pictures import DOES, INK, LOOK, bar, bars, line, matrix, numbers

FREE, BOUND = "stories-deep-hc", "stories-deep-mhc"
STORY = "Tom had a red ball and a blue car. He wanted the red"
MORE, FEW = 0.1, 6  # what a step adds in the first scene; steps that are told before an answer
HOLDS = (1.0, 1.0, 1.0, 9.0)  # what streams hold before they are mixed by tables that share out
# An example: a column of 0.
EMPTY = ((0.6, 0.2, 0.2, 0.0), (0.2, 0.6, 0.2, 0.0), (0.2, 0.2, 0.6, 0.0), (0.4, 0.3, 0.3, 0.0))
NEAR = 0.005  # sums that differ from 1 by less are written as 1.00


@dataclass(frozen=True)
class Found:
    """The tables of all steps at a text's last word, of two models that differ in nothing else: free ones and bound
    ones."""

    free: Tensor
    bound: Tensor

    @property
    def table(self) -> Tensor:
        """The first free table."""
        return self.free[0]

    @property
    def divided(self) -> list[Tensor]:
        """The first free table with its rows and columns divided by their sums in turn, until all are written as
        1.00."""
        steps: list[Tensor] = []
        each = self.table
        while not steps or max(float((each.sum(axis) - 1).abs().max()) for axis in (0, 1)) >= NEAR:
            each = each / each.sum(1 - len(steps) % 2, keepdim=True)
            steps.append(each)
        return steps

    @property
    def most(self) -> int:
        """The row of the first free table that adds up to most."""
        return int(self.table.sum(1).argmax())


def growth(tables: Tensor) -> list[float]:
    """What the largest of all streams holds after each step, where all hold 1 at first."""
    held, found = tables.new_ones(tables.shape[-1]), []
    for table in tables:
        held = table @ held
        found.append(float(held.max()))
    return found


def load(_name: str) -> tuple[Any, Any]:
    """Both models."""
    return compute.model(FREE), compute.model(BOUND)


def measure(models: tuple[Any, Any], text: str) -> Found:
    """All of it, in one pass of each model."""
    return Found(*(mixing_of(model.trace(text)).res[:, -1].double() for model in models))


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    steps, row, free = len(m.free), m.table[m.most], growth(m.free)
    return {
        "steps": f"{steps}",
        "layers": f"{steps // 2}",
        "few": f"{FEW}",
        "more": percent(MORE),
        "grown": number((1 + MORE) ** steps, ".0f"),
        "shrunk": number((1 - MORE) ** steps, ".1%"),
        "plain": number(1 + MORE * steps, ".1f"),
        "rate": number(1000 ** (1 / steps) - 1, ".0%"),
        "n": f"{m.most + 1}",
        "row": " + ".join(_two(row)),
        "sum": _two([row.sum()])[0],
        "own": _two(row)[m.most],
        "mean": _two([row.mean()])[0],
        "huge": f"{float(f'{free[-1]:.3g}'):,.0f}",
        "early": number(free[FEW - 1], ".0f"),
        "bound": _two([growth(m.bound)[-1]])[0],
        "largest": number(max(growth(each[None])[0] for each in m.free), ".1f"),
        "top": number(max(HOLDS), ".0f"),
        "all": number(sum(HOLDS), ".0f"),
    }


def _two(values: Iterable[Tensor | float]) -> list[str]:
    return [number(float(each), ".2f") for each in values]


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes; none of them asks for a sentence."""
    return [scene(m) for scene in (_grow, _plain, _mix, _deep, _share, _fade, _sinkhorn, _bound, _even)]


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
    less = _(" With {more} less each time it fades: {shrunk} is left.")
    return Scene(
        _("A number passes {steps} steps, and each makes it {more} larger. How many times as large does it come out?"),
        (numbers(_grows(m, FEW)[0]),),
        choose(
            _("{grown} times"),
            (
                _("{plain} times"),
                _("If so, each step would add {more} of the start."),
                _("Each adds {more} of what it gets: {grown}.") + less,
            ),
            (_("{grown} times"), _("Yes, it explodes."), _("Each step enlarges what the one before made.") + less),
            (_("1,000 times"), _("If so, each step would add {rate}."), _("With {more} it is {grown}.") + less),
        ),
        (numbers(*_grows(m)),),
        _("The bars are the first {few} steps."),
    )


def _plain(m: Found) -> Scene:
    label, ones = _("stream"), [1.0] * len(m.free)
    why = _("Steps only add. What came in is passed on whole, × 1: it neither explodes nor fades.")
    return Scene(
        _(
            "The **residual stream** of lesson 5: each step adds its row. "
            "After {steps} steps, how much is left of what went in?"
        ),
        (numbers(*_grows(m), _steps(label, ones, "", 0)),),
        choose(
            _("all of it"),
            (
                _("{shrunk}"),
                _("If so, each step would take {more} away."),
                _("But steps only add. All of it is left, × 1."),
            ),
            (_("all of it"), _("Yes, all."), why),
            (_("nothing"), _("If so, steps would overwrite it."), _("They only add, so all of it is left, × 1.")),
        ),
        (numbers(*_grows(m), _steps(label, ones, "× 1")),),
    )


def _mix(m: Found) -> Scene:
    unknown, known = ["?" if n == m.most else "" for n in range(len(m.table))], _two(m.table.sum(1))
    return Scene(
        _(
            "Four streams, each holding 1, are mixed. Row {n} says how much of each goes into new stream {n}. What "
            "will it hold?"
        ),
        _table(m.table, unknown, _("holds"), lit=m.most),
        choose(
            "{sum}",
            ("{mean}", _("If so, it would be the mean of its row."), _("But it takes so much of each: {row} = {sum}.")),
            ("{own}", _("If so, it would take only of old {n}."), _("But it takes of the others, too: {row} = {sum}.")),
            (
                "{sum}",
                _("Yes, the sum of its row."),
                _("{row} = {sum}. Training found the table, and nothing binds its numbers."),
            ),
        ),
        _table(m.table, known, _("holds"), lit=m.most),
        _(
            "A 1 stands for a word's row of numbers. Such **hyper-connections** guess new stories better than one "
            "stream."
        ),
        _page("Matrices"),
    )


def _deep(m: Found) -> Scene:
    grown, label = growth(m.free), _("largest stream")
    return Scene(
        _(
            "This model has {layers} layers of two steps, a table at each. "
            "All streams begin with 1. What does the largest hold at last?"
        ),
        (numbers(_steps(label, grown, "", FEW)),),
        choose(
            _("about {huge}"),
            (
                _("about {early}"),
                _("If so, later tables would do nothing."),
                _("It is {early} after {few} steps, {huge} after all."),
            ),
            (_("about 1,000"), _("Far more."), _("It is {huge}: what one table enlarges, the next enlarges again.")),
            (
                _("about {huge}"),
                _("Yes, it explodes."),
                _("No table makes more than {largest} of ones, but each enlarges what it gets."),
            ),
        ),
        (numbers(_steps(label, grown, words(m, m)["huge"], None, LOOK)),),
        _("The bars are the first {few} steps: {early} so far."),
        _page("Depth"),
    )


def _mixed(table: Tensor) -> tuple[list[str], list[str]]:
    """What streams hold before a table mixes them, as its columns are named, and after."""
    new = table @ torch.tensor(HOLDS).double()
    return [_("holds {n}", n=number(each, ".0f")) for each in HOLDS], _two(new)


def _share(m: Found) -> Scene:
    table, (holds, new) = m.bound[0], _mixed(m.bound[0])
    why = _("A row that adds up to 1 shares out, as a look does. A mixture is never above its largest part.")
    return Scene(
        _(
            "Another model's table: nothing below 0, each **row** adds up to 1. "
            "Streams hold 1, 1, 1, {top}. Can new ones hold more than {top}?"
        ),
        _table(table, _two(table.sum(1)), _("sum"), holds),
        choose(
            _("never"),
            (
                _("yes, up to {all}"),
                _("If so, a row would take all of all four."),
                _("It would add up to 4. But it adds up to 1, and shares out."),
            ),
            (_("a little"), _("Not even that."), _("A row that takes only of the {top} holds {top}, and no more.")),
            (_("never"), _("Right, never."), why),
        ),
        _table(table, new, _("new"), holds),
        behind=_page("Matrices", BOUND),
    )


def _fade(m: Found) -> Scene:
    holds, new = _mixed(torch.tensor(EMPTY).double())
    why = _("No row takes any of it. So **columns** must add up to 1, too: then all of each stream goes on.")
    return Scene(
        _("Here every row adds up to 1, too. Look at the last column. What is left of the {top}?"),
        _table(EMPTY, ["?"] * len(new), _("new"), holds),
        choose(
            _("nothing"),
            (_("all of it"), _("If so, the last column would add up to 1."), why),
            (
                _("a quarter"),
                _("If so, rows would take of it."),
                _("But they take 0 of it. So **columns** must add up to 1, too: then all goes on."),
            ),
            (_("nothing"), _("Yes, it has faded."), why),
        ),
        _table(EMPTY, new, _("new"), holds),
        _("This table is an example."),
    )


def _sinkhorn(m: Found) -> Scene:
    verdicts, replies = (_("Rows divided."), _("Columns divided.")), []
    first = _("Each row adds up to 1 now, but columns are off by up to {off}.")
    again = _("But that changed the rows again: they are off by up to {off}.")
    last = _("All sums are 1.00: the table is **doubly stochastic**. This is the method of Sinkhorn.")
    for n, table in enumerate(m.divided):
        done, why = n == len(m.divided) - 1, again if n % 2 else first
        off = {"off": _two([max((table.sum(axis) - 1).abs().max() for axis in (0, 1))])[0]}
        replies.append(Reply(verdicts[n % 2], last if done else why, done, _sums(table), off))
    typed = "\n".join(" ".join(f"{float(each):.2f}" for each in row) for row in m.table)
    return Scene(
        _(
            "Back to the free table. Divide rows by their sums, then columns, then rows … Press until all sums are "
            "1.00."
        ),
        _sums(m.table),
        Again(_("Divide"), replies),
        behind=Behind("mhc", {"sview": "Sinkhorn dial", "sds": "Own matrix", "sdm": typed}),
    )


def _bound(m: Found) -> Scene:
    said, labels = words(m, m), (_("free"), _("bound"))
    free, bound = _steps(labels[0], growth(m.free), said["huge"], None, LOOK), growth(m.bound)
    why = _("A row that adds up to 1 makes 1 of ones, and so do {steps} in a row.")
    return Scene(
        _(
            "The other model binds all {steps} tables so. Again all streams begin with 1. What does the largest hold "
            "at last?"
        ),
        (numbers(free, _steps(labels[1], bound, "", FEW, DOES)),),
        choose(
            "{bound}",
            ("{steps}", _("If so, each step would add 1."), why),
            ("{bound}", _("Yes, as at first."), why),
            (
                _("nearly 0"),
                _("If so, something would get lost."),
                _("But columns add up to 1, so all goes on: {bound}."),
            ),
        ),
        (numbers(free, _steps(labels[1], bound, said["bound"], None, DOES)),),
        _("Each row is drawn to its own height. Streams bound so are called **mHC**."),
        _page("Depth", BOUND),
    )


def _even(m: Found) -> Scene:
    shares = [float(each) for each in composite(m.bound)[:, 0]]
    names = [_("stream {n}", n=n + 1) for n in range(len(shares))]
    what = _("Each holds a quarter: nothing is lost, all become alike. Only what steps add parts them again.")

    def shown(values: Sequence[float | None]) -> Part:
        return bars(*(bar(name, value, DOES) for name, value in zip(names, values)))

    return Scene(
        _(
            "Now stream 1 alone holds something, 100%. After {steps} bound tables: how much of it is still in stream "
            "1? Drag."
        ),
        (shown([1, 0, 0, 0]),),
        Drag(
            _("What stream 1 still holds, in per cent"),
            _("Mix"),
            100 * shares[0],
            guessed(what, _("More is left."), _("Less is left.")),
        ),
        (shown(shares),),
        behind=_page("Depth", BOUND),
        hint=_(
            "Small models learn a little better with free tables. In large ones the makers of mHC saw training go "
            "wrong."
        ),
    )


def _page(view: str, model: str = FREE) -> Behind:
    return Behind("mhc", {"smodel": model, "sview": view, "text": STORY})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    return [
        End(
            _(
                "What is multiplied at each of {steps} steps explodes or fades: "
                "{more} more makes {grown} times, {more} less {shrunk}."
            ),
            (numbers(*_grows(m)),),
        ),
        End(
            _(
                "Free tables make {huge} of 1. Where rows add up to 1 nothing explodes, where columns do nothing is "
                "lost."
            ),
            (numbers(line("free", "", growth(m.free), "", LOOK), line("bound", "", growth(m.bound), "", DOES, 2)),),
        ),
        End(
            _("Sinkhorn's method makes such tables: divide rows by their sums, then columns, and again."),
            _sums(m.divided[-1]),
        ),
    ]


LESSON = Lesson(
    "streams",
    N_("Streams that neither fade nor explode"),
    N_("Four streams in place of one, mixed at every step. What do many mixings make of a 1, and what keeps it a 1?"),
    FREE,
    STORY,
    measure,
    words,
    plot,
    end,
    load,
    measured_on=N_("Tables and sums are those of two small real models with 24 layers each."),
    also=(BOUND,),
)
