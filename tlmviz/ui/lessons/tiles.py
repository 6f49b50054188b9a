"""Lesson 13, "Tiles": FlashAttention, which makes a head's map piece by piece and never stores it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tlmviz.analysis.kernels import roofline, tiling
from tlmviz.analysis.kernels.tiling import TileWalk, Visit
from tlmviz.checks import kernels_tiles
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import number, percent

from ..language import N_, _
from .measures import Head, heads_of, shared_out, word
from .parts import Again, Behind, Drag, End, Lesson, Part, Picture, Reply, Scene, choose
from .pictures import AGAIN, DOES, INK, LOOK, NEW, NONE, SOFT, bar, bars, cells, grid, line, numbers, strip

MODEL = "stories-rope"
STORY = "Once upon a time, Anna had a little ball. Ben came to play. Ben wanted the little"
HEAD: Head = (5, 0)  # looks for what followed the last word: in the third tile
SIDE = 4  # rows and columns of a tile of the story
LENGTH, WIDTH, TILE = 16_384, 64, (128, 64)  # a long text: words, width of a head, sides of a tile
CHIP = roofline.DEVICES[1]
FLOAT16 = 65_504  # the largest number of this format: (2 − 2⁻¹⁰) · 2¹⁵


@dataclass(frozen=True)
class Found:
    """A head's row of the last word, its map in tiles, and how far all heads' outputs are from those of the whole
    softmax."""

    tokens: list[str]
    scores: list[float]
    weights: list[float]  # the model's own
    whole: list[float]  # what comes out, of the whole softmax
    walk: TileWalk
    error: float  # of the largest value

    @property
    def visits(self) -> list[Visit]:
        """The tiles of the last word's row, one after another."""
        return [each for each in self.walk.visits if each.block == len(self.walk.skipped) - 1]

    @property
    def best(self) -> int:
        """The token of the largest score."""
        return max(range(len(self.scores)), key=self.scores.__getitem__)

    def largest(self, tiles: int) -> float:
        """The largest score of so many tiles."""
        return float(self.visits[tiles - 1].m_i[-1])

    def sum(self, tiles: int) -> float:
        """What so many tiles add up to when their largest score is taken off."""
        return float(self.visits[tiles - 1].l_i[-1])

    def factor(self, tiles: int) -> float:
        """By what the sum before the last of so many tiles is multiplied."""
        return float(self.visits[tiles - 1].alpha[-1])

    @property
    def bring(self) -> int:
        """How many tiles there are up to that of the largest score."""
        return self.best // SIDE + 1


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in one pass: the tiles of every head are walked."""
    trace = lm.trace(text)
    inputs, walk, weights = kernels_tiles.tiles(trace, *HEAD, SIDE, SIDE)
    every = (kernels_tiles.tiles(trace, *head, SIDE, SIDE) for head in heads_of(trace))
    row = weights[-1].double()
    return Found(
        trace.tokens,
        (inputs.q[-1] @ inputs.k.T * inputs.scale).tolist(),
        row.tolist(),
        (row.numpy() @ inputs.v).tolist(),
        walk,
        max(tiling.tiled_against_full(*case) for case in every),
    )


def _stored() -> roofline.Cost:
    return roofline.naive(LENGTH, WIDTH)


def _tiled(causal: bool = True) -> roofline.Cost:
    return roofline.tiled(LENGTH, WIDTH, *TILE, causal)


def _mb(count: float) -> str:
    return _("{n} MB", n=number(count / 1e6, ",.0f" if count > 1e6 else ".2f"))


def _times(cost: roofline.Cost) -> str:
    return _("{n} ms", n=number(1e3 * cost.seconds(CHIP), ".2f"))


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    first, second = sorted(range(1, SIDE), key=lambda i: -m.scores[i])[:2]
    old, new = m.largest(m.bring - 1), m.largest(m.bring)
    stored, tiled, free = _stored(), _tiled(), _tiled(False)
    return {
        "length": f"{LENGTH:,}",
        "cells": f"{LENGTH**2 / 1e6:.0f}",
        "map": _mb(roofline.BYTES * LENGTH**2),
        "rows": f"{TILE[0]}",
        "tile": f"{TILE[0] * TILE[1]:,}",
        "chip": CHIP.name.split()[0],
        "last": word(m.tokens[-1]),
        "one": word(m.tokens[first]),
        "other": word(m.tokens[second]),
        "best": word(m.tokens[m.best]),
        "ratio": number(math.exp(m.scores[first] - m.scores[second]), ".1f"),
        "n": f"{len(m.tokens)}",
        "end": f"{FLOAT16:,}",
        "score": number(new, ".1f"),
        "look": percent(m.weights[m.best]),
        "half": percent(shared_out(m.scores, 2)[m.best]),
        "old": number(old, ".1f"),
        "power": f"e^({old:.1f}\u00a0−\u00a0{new:.1f})",
        "factor": number(m.factor(m.bring), ".2f"),
        "over": number(1 / m.factor(m.bring), ".0f"),
        "d": f"{len(m.whole)}",
        "off": number(1e6 * m.error, ".1f"),
        "tiles": f"{m.walk.skipped.size}",
        "square": f"{SIDE}\u00a0×\u00a0{SIDE}",
        "skip": f"{m.walk.skipped.sum()}",
        "diagonal": f"{len(m.visits)}",
        "moved": _mb(stored.moved),
        "less": _mb(tiled.moved),
        "once": _mb(4 * LENGTH * WIDTH * roofline.BYTES),
        "more": number(free.flops / stored.flops - 1, ".1%"),
        "slow": _times(stored),
        "fast": _times(free),
    }


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_never, _ratio, _large, _larger, _loop, _exact, _ahead, _moved, _sooner)]


def _never(m: Found) -> Scene:
    size = roofline.BYTES * LENGTH**2
    needs = roofline.on_chip(WIDTH, *TILE)
    right = _("one small piece")

    def shown(told: bool) -> Picture:
        held, says = (needs / size, _mb(needs)) if told else (None, "")
        fast = bar(_("fast memory"), CHIP.on_chip / size, LOOK, "fast", _mb(CHIP.on_chip))
        whole = bar(_("the map"), 1, SOFT, "map", _mb(size))
        return (bars(whole, fast, bar(_("held at once"), held, DOES, "held", says)),)

    return Scene(
        _(
            "A text of {length} words: one head's map has {cells} million weights, one for each pair. How much must "
            "memory hold at once?"
        ),
        shown(False),
        choose(
            right,
            (
                _("all of it"),
                _("So it was for years."),
                _(
                    "{map} for every head. Now a **tile** of {tile} weights is "
                    "made, used and thrown away, then the next."
                ),
            ),
            (
                _("half of it"),
                _("Not even that."),
                _(
                    "No word looks ahead, so half is not needed. Of the rest one "
                    "**tile** of {tile} weights is there at a time."
                ),
            ),
            (
                right,
                _("Yes."),
                _(
                    "A **tile** of {tile} weights is made, used and thrown away, then the next. How softmax "
                    "can do with pieces comes next."
                ),
            ),
        ),
        shown(True),
        _(
            "A weight takes 2 bytes; with a tile its queries, keys, values and output are held. The fast memory is one "
            "core's, of an {chip}."
        ),
        _costs(),
    )


def _text(m: Found, tiles: int, share: float) -> Part:
    """The story as far as it is read; the last tile is marked."""
    read, every = SIDE * tiles, range(1, len(m.tokens))
    now = [i for i in every if read - SIDE <= i < read]
    unread, last = [i for i in every if i >= read], len(m.tokens) - 1
    return strip(m.tokens, blank="", under=last, faint=unread, swapped=now, share=share)


def _lines(m: Found, tiles: int, scored: int, summed: bool = True, share: float = 0.6) -> Part:
    """Scores of so many tiles; and parts of those that are summed up, the largest so far as 1."""
    said = (score if i < SIDE * scored else None for i, score in enumerate(m.scores))
    parts: list[float | None] = [None] * len(m.scores)
    if tiles:
        parts[: SIDE * tiles] = [math.exp(each - m.largest(tiles)) for each in m.scores[: SIDE * tiles]]
    top = _("largest {n}", n=number(m.largest(scored), ".1f")) if scored else ""
    total = _("sum {n}", n=number(m.sum(tiles), ".2f")) if tiles and summed else ""
    rows = line("scores", _("scores"), [*said], top, SOFT, max(map(abs, m.scores)))
    return numbers(rows, line("parts", _("parts") if summed else "e^score", parts, total, DOES, 1), share=share)


def _ratio(m: Found) -> Scene:
    right = _("how its words compare")
    return Scene(
        _(
            "Here scores come in tiles of four. Softmax divides e^score by the sum of **all**. What does the first "
            "tile tell already?"
        ),
        (_text(m, 1, 0.4), _lines(m, 0, 1, False)),
        choose(
            right,
            (
                _("its weights"),
                _("Not without the rest."),
                _("All {n} scores are in the sum: a large one to come makes each of these weights small."),
            ),
            (
                right,
                _("Yes."),
                _(
                    "“{one}” gets {ratio} times as much as “{other}”, whatever follows. Only the sum is "
                    "missing, and it grows tile by tile."
                ),
            ),
            (
                _("nothing"),
                _("Something is known."),
                _("“{one}” gets {ratio} times as much as “{other}”: the sum, once it is known, divides both alike."),
            ),
        ),
        (_text(m, 1, 0.4), _lines(m, 1, 1, False)),
        _("A head looks back from “{last}”. e is 2.7…; a sign in front of the text has a score, too."),
        _row(m),
    )


def _large(m: Found) -> Scene:
    top, power = math.exp(m.scores[m.best]), number(m.scores[m.best], ".1f")
    right = _("take {score} off each score")

    def shown(told: bool) -> Picture:
        label, at, says = (
            (f"e^({power} − {power})", 1.0, "1") if told else (f"e^{power}", top, f"≈ {float(f'{top:.2g}'):,.0f}")
        )
        end = bar("float16", FLOAT16 / top, SOFT, "end", f"{FLOAT16:,}")
        return (bars(end, bar(label, at / top, LOOK, "ball", says)),)

    return Scene(
        _(
            "Numbers of the kind float16 end at {end}. “{best}” has score {score}, and e^{score} is too large. What "
            "helps, and changes **no weight**?"
        ),
        shown(False),
        choose(
            right,
            (
                _("halve each score"),
                _("“{best}” would get {half}, not {look}."),
                _(
                    "Halved, scores lie nearer to one "
                    "another, and so do weights. What is taken off all alike leaves them as far apart."
                ),
            ),
            (
                right,
                _("Yes."),
                _(
                    "The largest becomes e^0 = 1. All shrink by the same factor, and so does the sum: no weight "
                    "changes."
                ),
            ),
            (
                _("leave “{best}” out"),
                _("Then {look} of the look is gone."),
                _("All other words would share it, each with a larger weight."),
            ),
        ),
        shown(True),
        _("“{best}” stands in the third tile. The head gives it {look} of its look."),
        _row(m),
    )


def _larger(m: Found) -> Scene:
    right, before = _("one multiplication"), m.bring - 1
    return Scene(
        _(
            "But the largest is not known yet. So the largest **so far** is taken off: {old}. Now {score} comes. What "
            "puts the sum right?"
        ),
        (_text(m, m.bring, 0.4), _lines(m, before, m.bring)),
        choose(
            right,
            (
                _("summing it up anew"),
                _("That would read all again."),
                _(
                    "And each part would change by the same factor, "
                    "{power} = {factor}. So the sum can be multiplied by it."
                ),
            ),
            (
                right,
                _("Yes, by {factor}."),
                _(
                    "Each part had {old} taken off, and should have {score}: times {power}, "
                    "the same for all. The sum is **rescaled**: online softmax."
                ),
            ),
            (
                _("nothing"),
                _("Old parts would count {over} times too much."),
                _(
                    "From them {old} was taken off, from new "
                    "ones {score}. Times {power} = {factor}, old ones are right."
                ),
            ),
        ),
        (_text(m, m.bring, 0.4), _lines(m, m.bring, m.bring)),
        _("A part is e^(score − largest so far)."),
        _row(m),
    )


def _loop(m: Found) -> Scene:
    top = max(float(abs(each.acc[-1]).max()) for each in m.visits)

    def shown(tiles: int) -> Picture:
        acc = m.visits[tiles - 1].acc[-1].tolist() if tiles else [None] * len(m.whole)
        out = numbers(line("out", _("output"), acc, "", LOOK, top), share=0.26)
        return _text(m, tiles, 0.34), _lines(m, tiles, tiles, share=0.4), out

    replies, count = [], len(m.visits)
    for tiles in range(1, count + 1):
        said = _("Nothing larger: the parts are added.")
        if tiles == 1:
            said = _("The largest so far is {top}: its part is 1. The four parts add up to {sum}.")
        elif m.factor(tiles) < 1:
            said = _("A larger score, {top}: old sum and output are multiplied by {by} first.")
        if tiles == count:
            said += _(" At the end all is divided by the sum: “{best}” gets 1 / {sum} = {share}.")
        values = m.largest(tiles), m.factor(tiles), m.sum(tiles)
        own = {
            name: number(each, form) for name, each, form in zip(("top", "by", "sum"), values, (".1f", ".2f", ".2f"))
        }
        replies.append(Reply("", said, tiles == count, shown(tiles), own | {"share": percent(1 / values[-1])}))
    return Scene(
        _(
            "Do it: each tile adds its parts to the sum, and parts times **values** to the output. Then the tile is "
            "forgotten."
        ),
        shown(0),
        Again(_("Next tile"), replies),
        (),
        _("All that is kept, however long the text: the largest, the sum, and {d} numbers of output."),
        _row(m),
    )


def _exact(m: Found) -> Scene:
    right = _("by rounding only")
    why = _(
        "In all heads, at most {off} millionths of the largest value. Each rescaling is exact: the same sum, "
        "differently written."
    )
    last, top = m.walk.out[-1].tolist(), max(map(abs, m.whole))

    def shown(told: bool) -> Picture:
        whole = m.whole if told else [None] * len(last)
        row = line("whole", _("whole row"), whole, "" if told else "?", INK, top)
        return (numbers(line("tiles", _("in tiles"), last, "", LOOK, top), row),)

    return Scene(
        _(
            "This loop, **FlashAttention**, never sees all scores together. How far is its output from that of softmax "
            "over the **whole** row?"
        ),
        shown(False),
        choose(
            right,
            (right, _("Yes."), why),
            (
                _("about 1%"),
                _("If so, some scores would be missing."),
                _(
                    "Every one is added. In all heads the output is "
                    "off by {off} millionths of the largest value, at most."
                ),
            ),
            (
                _("about 10%"),
                _("If so, the factors would be guesses."),
                _("They are exact. In all heads the output is off by {off} millionths of the largest value, at most."),
            ),
        ),
        shown(True),
        _("These are the {d} numbers of the output, divided by the sum."),
        _row(m),
    )


def _ahead(m: Found) -> Scene:
    visited = {(each.block, each.tile): each.masked for each in m.walk.visits}
    count, skip = len(m.visits), int(m.walk.skipped.sum())

    def shown(told: bool) -> Picture:
        state = {True: AGAIN, False: NEW, None: NONE}
        rows = []
        for row in range(count):
            run = [(state[visited.get((row, at))] if told else NONE, 1, "") for at in range(count)]
            ends = dict.fromkeys((SIDE * row + 1, min(SIDE * (row + 1), len(m.tokens))))
            rows.append(cells(f"{row}", "–".join(map(str, ends)), *run))
        legend = {NEW: _("computed"), AGAIN: _("on the diagonal"), NONE: _("skipped")} if told else {}
        return (grid(count, *rows, legend=legend),)

    return Scene(
        _(
            "The story's map: {tiles} tiles of {square} cells. Rows look, columns are looked at, never ahead. How many "
            "tiles are **skipped**?"
        ),
        shown(False),
        choose(
            f"{skip}",
            (
                "0",
                _("If so, all would be made."),
                _("{skip} tiles lie wholly ahead. Their weights are 0, so nothing of them is needed."),
            ),
            (
                f"{skip}",
                _("Yes."),
                _(
                    "They lie wholly ahead. The {diagonal} on the diagonal hold words behind, too: they "
                    "are computed, and only their cells ahead get nothing."
                ),
            ),
            (
                f"{m.walk.skipped.size // 2}",
                _("Then half of the diagonal, too."),
                _(
                    "Tiles on the diagonal hold words "
                    "behind, too: all {diagonal} are computed, and only their cells ahead get nothing."
                ),
            ),
        ),
        shown(True),
        _("Numbers are words, the sign in front as 1. The last tiles are smaller."),
        Behind("flash_attention", {**_at(m), "br": f"{SIDE}", "bc": f"{SIDE}"}),
    )


def _moved(m: Found) -> Scene:
    stored, tiled = _stored(), _tiled()
    why = _("{less}: keys and values are read again for every {rows} rows, but no weight is moved.")
    low = _("But keys and values are read again for every {rows} rows: {less}.")
    replies = (
        Reply(_("Well guessed."), why, True),
        Reply(_("Read only once, it would be {once}."), low),
        Reply(
            _("If so, weights would be moved, too."),
            _("Only keys and values are, again for every {rows} rows: {less}."),
        ),
    )

    def shown(told: bool) -> Picture:
        row = bar(_("in tiles"), tiled.moved / stored.moved if told else None, DOES, "tiles")
        return (bars(row, bar(_("map stored"), 1, SOFT, "stored", _mb(stored.moved))),)

    return Scene(
        _(
            "With {length} words, storing the map moves {moved} to and from slow memory, for one head. How much of "
            "that do tiles move? Drag."
        ),
        shown(False),
        Drag(_("What tiles move, in per cent"), _("Count"), 100 * tiled.moved / stored.moved, replies, within=8),
        shown(True),
        _("Stored, the map is written and read twice: as scores, {map}, then as weights."),
        _costs(),
    )


def _sooner(m: Found) -> Scene:
    stored, free = _stored(), _tiled(False)
    right = _("a few more")

    def shown(told: bool) -> Picture:
        label, share = _("operations, tiles"), free.flops / stored.flops
        work = bar(label, min(1, share) if told else None, DOES, "work", number(share, ".1%") if told else "")
        rows = [bar(_("operations, stored"), 1, SOFT, "stored"), work]
        if told:
            fast = free.seconds(CHIP) / stored.seconds(CHIP)
            rows += [
                bar(_("time, stored"), 1, SOFT, "slow", _times(stored)),
                bar(_("time, tiles"), fast, LOOK, "fast", _times(free)),
            ]
        return (bars(*rows),)

    return Scene(
        _(
            "Now every word sees all others: no tile is skipped. Compared with storing the map, how many operations do "
            "tiles need?"
        ),
        shown(False),
        choose(
            right,
            (
                _("a quarter"),
                _("A quarter of the bytes, yes."),
                _("But each product is computed, and rescaling adds {more}. Time goes down with the bytes."),
            ),
            (
                right,
                _("Yes, {more} more."),
                _(
                    "And yet {fast} at least, not {slow}, by the data sheet of an {chip}: "
                    "computing is fast, moving bytes is slow."
                ),
            ),
            (
                _("twice as many"),
                _("If so, each tile would be made twice."),
                _(
                    "It is made once; keys and values are read "
                    "again. Rescaling adds {more}. Time goes down with the bytes."
                ),
            ),
        ),
        shown(True),
        _("Operations are additions, multiplications and the like."),
        _costs(),
    )


def _at(m: Found) -> dict[str, str]:
    return {"model": MODEL, "text": STORY, "head": "{}.{}".format(*HEAD)}


def _row(m: Found) -> Behind:
    return Behind("flash_attention", {**_at(m), "part": "One row", "query": f"{len(m.tokens) - 1}"})


def _costs() -> Behind:
    return Behind("flash_attention", {"part": "Memory and time", "len": f"{LENGTH}"})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    stored, tiled = _stored(), _tiled()
    return [
        End(
            _(
                "The map is made in tiles, each used and forgotten. Only a largest score, a sum and {d} numbers are "
                "kept."
            ),
            (_lines(m, m.bring - 1, m.bring - 1),),
        ),
        End(
            _(
                "When a larger score comes, what was summed is multiplied by one factor. The result is that of the "
                "whole softmax."
            ),
            (_lines(m, m.bring, m.bring),),
        ),
        End(
            _("Tiles ahead are skipped, and {less} are moved, not {moved}. Moving takes the time, not computing."),
            (bars(bar(_("stored"), 1, SOFT), bar(_("tiles"), tiled.moved / stored.moved, DOES)),),
        ),
    ]


LESSON = Lesson(
    "tiles",
    N_("Tiles"),
    N_("A map of millions of weights that is never stored: softmax in one loop, FlashAttention, and why it is faster."),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
    measured_on=N_(
        "Scores and outputs are of a small real model; bytes and times are computed, for one head on an H100."
    ),
)
