"""Lesson 10, "Streams that neither fade nor explode": what one stream carries and what four do, mixed at every step by
free tables and by bound ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tlmviz.analysis.streams.mixing import composite, mixing_of
from tlmviz.analysis.streams.unrolled import output_taps, state_taps
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import number, percent
from tlmviz.tracing.trace import Trace

from .. import compute
from ..language import N_, _
from .measures import little, named, word
from .parts import Again, Behind, Choose, End, Lesson, Picture, Reply, Scene, choose
from .pictures import DOES, INK, LOOK, SOFT, bar, bars, line, matrix, numbers, strip

ONE, FOUR = "stories-residual", "stories-hc"  # differ in nothing but their streams
FREE, BOUND = "stories-deep-hc", "stories-deep-mhc"
MODELS = ONE, FOUR, FREE, BOUND
STORY = "Lily had a big dog and a small cat. Lily loved the big"
MORE, FEW = 0.1, 6  # what a step adds in the first scene; steps that are told before an answer
EARLY, SHOWN = 4, 24  # steps after which streams are read off; numbers of a stream that are drawn
HOLDS = (1.0, 1.0, 1.0, 9.0)  # what streams hold before they are mixed by tables that share out
# An example: a column of 0.
EMPTY = ((0.6, 0.2, 0.2, 0.0), (0.2, 0.6, 0.2, 0.0), (0.2, 0.2, 0.6, 0.0), (0.4, 0.3, 0.3, 0.0))
NEAR = 0.005  # sums that differ from 1 by less are written as 1.00
HALF = torch.finfo(torch.float16).max  # the largest number of 16 bits
Said = tuple[str, float]  # a word, and how sure it is


@dataclass(frozen=True)
class Found:
    """At a text's last word: what streams say, and the tables of all steps of two deep models that differ in nothing
    else, free ones and bound ones."""

    tokens: list[str]
    steps: int  # of the models with one stream and with four
    ends: tuple[list[float], list[float]]  # the one stream at first and at last, its first numbers
    says: tuple[Said, Said]  # what it says there
    silent: Said  # and at last, where all steps add nothing
    holds: list[float]  # how surely the one stream and each of the four still say the text's word after a few steps
    guess: tuple[int, Said]  # which of the others most surely says another word, and what
    free: Tensor
    bound: Tensor
    largest: tuple[float, float]  # number in the streams of the two deep models

    @property
    def table(self) -> Tensor:
        """The first free table as it is written, to be added up by hand."""
        return _written(self.free[0])

    @property
    def shared(self) -> Tensor:
        """Of the bound tables whose numbers as they are written add up to 1 both ways, the one that mixes most."""
        tables = [_written(each) for each in self.bound]
        exact = [each for each in tables if max(float((each.sum(n) - 1).abs().max()) for n in (0, 1)) < NEAR]
        return min(exact or tables, key=lambda each: float(each.max()))

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

    @property
    def keeper(self) -> int:
        """The stream, counted from 1, that still says the text's word most surely."""
        return max(range(1, len(self.holds)), key=self.holds.__getitem__)


def _written(table: Tensor) -> Tensor:
    """A table whose numbers have two places."""
    return (table * 100).round() / 100


def growth(tables: Tensor) -> list[float]:
    """What the largest of all streams holds after each step, where all hold 1 at first."""
    held, found = tables.new_ones(tables.shape[-1]), []
    for table in tables:
        held = table @ held
        found.append(float(held.max()))
    return found


def load(_name: str) -> dict[str, LanguageModel]:
    """All models that are measured."""
    return {name: compute.model(name) for name in MODELS}


def _said(lm: LanguageModel, row: Tensor) -> Tensor:
    """What the model would guess next if the last word's row were this one: the share of each piece."""
    network: Any = lm.on_cpu.network
    return torch.as_tensor(network.unembed(network.norm(row)).softmax(-1))


def _streams(trace: Trace, after: int) -> Tensor:
    """The last word's streams after so many steps, [N, C]."""
    return trace[state_taps(trace.n_layers)[after]][0, -1].reshape(-1, trace["blocks.0.resid_pre"].shape[-1])


def measure(models: dict[str, LanguageModel], text: str) -> Found:
    """All of it, in one pass of each model and one in which all steps are silent."""
    one, traces = models[ONE], {name: lm.trace(text) for name, lm in models.items()}
    alone, four = traces[ONE], traces[FOUR]
    steps, last = 2 * alone.n_layers, alone.ids[-1]
    mute = {name: lambda value, record: torch.zeros_like(value) for name in output_taps(alone.n_layers)}
    rows = [_streams(alone, at)[0] for at in (0, steps)]
    early = [_said(one, _streams(alone, EARLY))[0], *_said(models[FOUR], _streams(four, EARLY))]
    holds = [float(each[last]) for each in early]
    best = [named(models[FOUR], each, 1)[0] for each in early]
    others = [n for n in range(1, len(best)) if best[n][0] != word(alone.tokens[-1])]
    guess = max(others, key=lambda n: best[n][1])
    free, bound = (mixing_of(traces[name]).res[:, -1].double() for name in (FREE, BOUND))
    largest = [max(_streams(traces[name], at).abs().max() for at in range(1 + len(free))) for name in (FREE, BOUND)]
    begins, ends = (named(one, _said(one, each), 1)[0] for each in rows)
    return Found(
        alone.tokens,
        steps,
        (rows[0][:SHOWN].tolist(), rows[1][:SHOWN].tolist()),
        (begins, ends),
        named(one, one.trace(text, edit=mute).probabilities(), 1)[0],
        holds,
        (guess, best[guess]),
        free,
        bound,
        (float(largest[0]), float(largest[1])),
    )


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    steps, row, free = len(m.free), m.table[m.most], growth(m.free)
    (guesser, (guess, chance)), (kept, first) = m.guess, (m.holds[m.keeper], m.says[0][1])
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
        "first": percent(first),
        "silent": percent(m.silent[1]),
        "alone": little(m.holds[0]),
        "keeper": f"{m.keeper}",
        "kept": percent(kept),
        "guesser": f"{guesser}",
        "guess": guess,
        "chance": percent(chance),
        "n": f"{m.most + 1}",
        "row": " + ".join(_two(row)),
        "sum": _two([row.sum()])[0],
        "own": _two(row)[m.most],
        "mean": _two([row.mean()])[0],
        "huge": _round(free[-1]),
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
    less = _(" With {more} less each time it fades: {shrunk} is left.")
    return Scene(
        _(
            "A word, as a row of numbers, passes a model’s {steps} steps. If each makes it {more} larger, how many "
            "times as large at last?"
        ),
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


def _add(m: Found) -> Scene:
    (came, went), ((it, first), (out, sure)) = m.ends, m.says
    why = _("What goes in is passed on whole, × 1: it neither explodes nor fades. That is a **residual** connection.")
    other = _("Steps only add. What goes in is passed on whole, × 1: still “{it}”, {silent} sure.")

    def shown(values: Sequence[float], says: str, share: float, told: str) -> Picture:
        rows = (
            line("in", _("goes in"), came, f"“{it}” {percent(first)}", INK),
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
            (_("no word at all"), _("If so, it would fade without steps."), other),
            ("“{it}”", _("Yes, “{it}”, {silent} sure."), why),
            ("“{out}”", _("If so, “{out}” would go in with it."), other),
        ),
        shown(came, m.silent[0], m.silent[1], _("comes out, steps silent")),
        _(
            "What it says: the word that the model’s last part guesses from the row. Drawn are its first {count} "
            "numbers."
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
        return (bars(*rows),)

    why = _(
        "Stream {keeper} keeps “{it}”, stream {guesser} gathers the guess: “{guess}”, {chance}. One stream has to do "
        "both."
    )
    verdicts = _("If so, they would be no better than one."), _("One keeps it."), _("If so, all would do the same.")
    labels = _("in none"), _("in one"), _("in all four")
    right = 0 if not held else 2 if held == len(m.holds) - 1 else 1
    replies = [
        Reply(_("Yes, {kept} sure.") if n == right else verdict, why, n == right, label=label)
        for n, (label, verdict) in enumerate(zip(labels, verdicts))
    ]
    return Scene(
        _(
            "After {early} steps that one stream says “{it}” no more. Another model has **four** streams for each "
            "word. In how many does “{it}” stay?"
        ),
        shown(False),
        Choose(replies),
        shown(True),
        _("Bars: how surely a stream says “{it}” after {early} of {short} steps. At first all say it."),
        _page("Streams", FOUR),
    )


def _mix(m: Found) -> Scene:
    unknown, known = ["?" if n == m.most else "" for n in range(len(m.table))], _two(m.table.sum(1))
    return Scene(
        _(
            "At each step a **table** mixes the four, each holding 1. Row {n} says what new stream {n} takes of them. "
            "What will it hold?"
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
        _("Such mixing is called **hyper-connections**. The table is a deeper model’s; a 1 stands for a word’s row."),
        _page("Matrices"),
    )


def _deep(m: Found) -> Scene:
    grown, label = growth(m.free), _("largest stream")
    why = _(
        "Each table enlarges what the last one made. In the model itself numbers reach {largest}; numbers of 16 bits "
        "end at {half}."
    )
    return Scene(
        _(
            "That deeper model mixes at {steps} steps, each time by another table. All streams begin with 1. What does "
            "the largest hold at last?"
        ),
        (numbers(_steps(label, grown, "", FEW)),),
        choose(
            _("about {huge}"),
            (_("about {so}"), _("If so, later tables would do nothing."), why),
            (_("about 1,000"), _("Far more: {huge}."), why),
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
    why = _("A row that adds up to 1 shares out, and a mixture is never above its largest part. So nothing explodes.")
    return Scene(
        _(
            "No number is below 0, each **row** adds up to 1. Streams hold 1, 1, 1, {top}. What can such a row make at "
            "most?"
        ),
        _table(table, _two(table.sum(1)), _("sum"), holds),
        choose(
            "{top}",
            ("{average}", _("That is the mean."), _("A row may take all of the {top}, and nothing else.")),
            ("{top}", _("Right, {top}."), why),
            (
                "{all}",
                _("If so, a row would take all of all four."),
                _("It would add up to 4. But it adds up to 1, and shares out."),
            ),
        ),
        _table(table, new, _("new"), holds),
        _("A table of another model, all of whose rows add up to 1."),
        behind=_page("Matrices", BOUND),
    )


def _fade(m: Found) -> Scene:
    holds, new = _mixed(torch.tensor(EMPTY).double())
    why = _("No row takes of the {top}, so it is lost. **Columns** must add up to 1, too: then all of each goes on.")
    return Scene(
        _("Here rows add up to 1, too. Together the streams hold {all}. How much will the new ones hold **together**?"),
        _table(EMPTY, ["?"] * len(new), _("new"), holds),
        choose(
            "{left}",
            ("{left}", _("Yes, {left} of {all}."), why),
            ("{top}", _("That is the last stream, which is lost."), why),
            ("{all}", _("If so, nothing would get lost."), why),
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
        hint=_("Sums stand beside the rows and below the columns. All numbers are rounded to two places."),
        behind=Behind("mhc", {"sview": "Sinkhorn dial", "sds": "Own matrix", "sdm": typed}),
    )


def _bound(m: Found) -> Scene:
    shares = [float(each) for each in composite(m.bound)[:, 0]]
    names = [_("stream {n}", n=n + 1) for n in range(len(shares))]
    why = _(
        "Each holds {each}, together {whole}: nothing explodes or fades. In that model itself numbers reach {tame}, "
        "not {largest}."
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
            (_("still in stream 1"), _("If so, the tables would mix nothing."), why),
            (_("lost on the way"), _("If so, columns would not add up to 1."), why),
            (_("a quarter in each"), _("Yes."), why),
        ),
        shown(shares),
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
    FREE,
    STORY,
    measure,
    words,
    plot,
    end,
    load,
    measured_on=N_(
        "Everything was measured on four small real models; the tables are those of two with 24 layers each."
    ),
    also=MODELS,
)
