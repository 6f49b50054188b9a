"""Lesson 13, "Tiles": FlashAttention, which makes a head's map piece by piece and never stores it."""

from __future__ import annotations

import math

from tlmviz.analysis.kernels import roofline
from tlmviz.figures.written import number, percent

from ..language import N_, _
from .measures import HALF, shared_out, word
from .parts import Again, Behind, Drag, End, Lesson, Part, Picture, Reply, Scene, choose, guessed
from .pictures import (
    AGAIN,
    DOES,
    GONE,
    KEPT,
    LOOK,
    MADE,
    NEW,
    NONE,
    NOW,
    SKIPPED,
    SOFT,
    bar,
    bars,
    cells,
    grid,
    line,
    numbers,
    strip,
    tilemap,
)
from .walked import CHIP, HEAD, LENGTH, MODEL, SIDE, STORY, TILE, WIDTH, Found, measure, stored, tiled


def _mb(count: float) -> str:
    return _("{n} MB", n=number(count / 1e6, ",.0f"))


def _ms(cost: roofline.Cost) -> str:
    return _("{n} ms", n=number(1e3 * cost.seconds(CHIP), ".2f"))


def _time() -> float:
    """Of the time that a stored map takes, the part that tiles take."""
    return tiled().seconds(CHIP) / stored().seconds(CHIP)


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    old, new, factor = m.largest(m.bring - 1), m.largest(m.bring), m.factor(m.bring)
    alone, more = m.shares(m.bring - 1)[0], m.shares(m.bring)[0]
    return {
        "length": f"{LENGTH:,}",
        "cells": f"{LENGTH**2 / 1e6:.0f}",
        "tile": f"{TILE[0] * TILE[1]:,}",
        "side": f"{SIDE}",
        "sides": "{} × {}".format(*TILE),
        "map": _mb(roofline.BYTES * LENGTH**2),
        "chip": CHIP.name.split()[0],
        "last": word(m.tokens[-1]),
        "best": word(m.tokens[m.best]),
        "grew": number(alone / more, ".0f"),
        "score": number(new, ".1f"),
        "exact": number(new, ".2f"),
        "look": percent(m.weights[-1][m.best]),
        "count": f"{len(m.tokens)}",
        "half": percent(shared_out(m.scores, 2)[m.best]),
        "old": number(old, ".1f"),
        "factor": number(factor, ".2f"),
        "over": number(1 / factor, ".0f"),
        "more": number(round(new, 1) - round(old, 1), ".1f"),
        "d": f"{len(m.whole)}",
        "off": number(1e6 * m.error, ".1f"),
        "tiles": f"{m.walk.skipped.size}",
        "skip": f"{m.walk.skipped.sum()}",
        "moved": _mb(stored().moved),
        "less": _mb(tiled().moved),
        "slow": _ms(stored()),
        "time": percent(_time()),
        "bands": f"{LENGTH // TILE[0]}",
        "band": _("{n} MB", n=number(2 * roofline.BYTES * LENGTH * WIDTH / 1e6, ".1f")),
    }


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_map, _softmax, _large, _forget, _larger, _loop, _ahead, _sooner)]


def _map(m: Found) -> Scene:
    why = _(
        "It is cut into **tiles**, here {side} × {side}, on a chip {sides} = {tile} cells: one is made in the chip’s "
        "small fast memory, used, forgotten."
    )
    rows = _("{n} million", n=number(TILE[0] * LENGTH / 1e6, ".0f"))
    count = len(m.visits)
    states = [[NOW if (row, at) == (m.bring - 1, 0) else GONE for at in range(count)] for row in range(count)]
    legend = {NOW: _("the tile that is there"), GONE: _("forgotten, or still to come")}
    return Scene(
        _(
            "This **map** shows how much each word looks at others. {length} words make {cells} million cells. How "
            "many must memory hold at once?"
        ),
        (tilemap(m.names, m.weights),),
        choose(
            "{tile}",
            (_("{cells} million"), _("No: so it was for years."), why),
            (rows, _("No: whole rows are not needed."), why),
            ("{tile}", _("Yes, one small tile."), why),
        ),
        (tilemap(m.names, m.weights, SIDE, states, legend=legend),),
        _("Each row is a word; its columns are the same words. The stronger, the more. No word looks ahead."),
        Behind("flash_attention", {**_at(m), "br": f"{SIDE}", "bc": f"{SIDE}"}),
    )


def _text(m: Found, tiles: int, share: float) -> Part:
    """The story, of which only the words of one tile are there."""
    every = range(1, len(m.tokens))
    now = [i for i in every if SIDE * (tiles - 1) <= i < SIDE * tiles]
    faint = [i for i in every if i not in now]
    return strip(m.tokens, blank="", under=len(m.tokens) - 1, faint=faint, swapped=now, share=share)


def _scored(m: Found, i: int) -> str:
    name = m.names[i] if m.names[i] != "." else _("full stop")
    return f"{name} {number(m.scores[i], '.1f')}"


def _shares(m: Found, tiles: int, shown: int) -> Part:
    """Parts and shares of the words of so many tiles alone; those of others that are shown are not told yet."""
    rows, told = [], [*m.shares(tiles), *[None] * SIDE * (shown - tiles)]
    for i, each in enumerate(told):
        tone = DOES if i >= SIDE else LOOK
        says = f"{_part(m, i)}: {percent(each) if each > 0.005 else '<1%'}" if each is not None else ""
        rows.append(bar(_scored(m, i), each, tone, f"{i}", says))
    return bars(*rows)


def _part(m: Found, *words: int) -> str:
    """The part of a word in the sum, or the sum of the parts of some."""
    return number(sum(math.exp(m.scores[i]) for i in words), ",.0f")


def _softmax(m: Found) -> Scene:
    before = m.bring - 1
    why = _(
        "A share is a word’s **part** of one sum. That grew from {before} to {after}, {grew} times, so each share is "
        "{grew} times smaller."
    )
    return Scene(
        _(
            "**Softmax** makes shares of scores: here four words have 100%. Now four more come in, among them "
            "“{best}”. What becomes of those shares?"
        ),
        (_shares(m, before, m.bring),),
        choose(
            _("all shrink alike"),
            (_("they stay"), _("No: there would be over 100%."), why),
            (_("all shrink alike"), _("Yes."), why),
            (_("the largest shrinks"), _("No: then the others would gain on it."), why),
        ),
        (_shares(m, m.bring, m.bring),),
        _(
            "Words at which “{last}” looks, with their scores; at the right each one’s part, made of its score as the "
            "next scene shows, and its share. A sign in front counts, too."
        ),
        _row(m),
        words={"before": _part(m, *range(SIDE)), "after": _part(m, *range(SIDE * m.bring))},
    )


def _kept(m: Found, share: float, largest: str = "", sums: str = "", by: str = "") -> Part:
    """What is kept of tiles: their largest score, where it counts, their sum and their mixture, multiplied `by`."""
    d = _("{d} numbers", d=len(m.whole)) if sums else ""
    told = {
        _("largest score"): largest,
        _("sum of parts"): sums + by,
        _("mixture"): _("all {d}", d=len(m.whole)) + by if by else d,
    }
    if not largest and sums:
        del told[_("largest score")]
    run = [(KEPT if each else NONE, 1, each) for each in told.values()]
    return grid(len(told), cells("kept", _("kept"), *run), heads=[*told], share=share)


def _mixing(m: Found, share: float) -> Part:
    """The values of the first tile, each times its part, and what they add up to."""
    top = max(abs(each) for row in (*m.values, m.mixture(1)) for each in row)
    rows = []
    for i, value in enumerate(m.values):
        part = number(math.exp(m.scores[i] - m.largest(1)), ".2f")
        rows.append(line(f"{i}", f"{part} × {m.names[i]}", value, "", SOFT, top))
    return numbers(*rows, line("mixture", _("mixture"), m.mixture(1), "", LOOK, top), share=share)


def _forget(m: Found) -> Scene:
    why = _("New parts add to the sum, new values to the mixture. At the end, the mixture is divided by the sum.")
    return Scene(
        _(
            "Parts mix the words' **values**, rows of {d} numbers, into one row, their **mixture**. Now the tile is to "
            "be **forgotten**. What must be kept?"
        ),
        (_text(m, 1, 0.25), _mixing(m, 0.75)),
        choose(
            _("sum and mixture"),
            (_("sum and mixture"), _("Yes."), why),
            (_("parts and values"), _("No: nothing would be forgotten."), why),
            (_("the largest part"), _("No: the others would be lost."), why),
        ),
        (_text(m, 1, 0.2), _mixing(m, 0.6), _kept(m, 0.2, "", _("1 number"))),
        _(
            "Blue is the tile: the start sign, and three words. Before each value stands its part, where the tile’s "
            "largest score, {old}, is taken off."
        ),
        _row(m),
    )


def _large(m: Found) -> Scene:
    top, power = math.exp(m.scores[m.best]), number(m.scores[m.best], ".1f")
    less = _("Less {score}, its part is 1. All parts, and their sum, shrink by the same factor: no share changes.")

    def shown(told: bool) -> Picture:
        at, says = (1.0, "1") if told else (top, f"≈ {float(f'{top:.2g}'):,.0f}")
        label = _("{n} taken off", n=power) if told else _("part of “{word}”", word=m.names[m.best])
        ends = bar(_("16 bits end at"), HALF / top, SOFT, "end", f"{HALF:,}")
        return (bars(ends, bar(label, at / top, LOOK, "best", says)),)

    return Scene(
        _(
            "A part is e^score: 2.7 times as large for each point. That of “{best}” exceeds 16 bits. What "
            "helps, and changes **no share**?"
        ),
        shown(False),
        choose(
            _("take {score} off each score"),
            (_("halve each score"), _("No: of all {count} words, it would get {half}, not {look}."), less),
            (_("leave “{best}” out"), _("No: it has {look}, and all others would grow."), less),
            (_("take {score} off each score"), _("Yes."), less),
        ),
        shown(True),
        _(
            "Chips compute fast with numbers of 16 bits; in the format FP16 they end there. “{best}” has score "
            "{exact}, about {score}."
        ),
        _row(m),
    )


def _parts(m: Found, tile: int, share: float, told: bool = True) -> Part:
    """The words of one tile with their scores, and their parts where they are told."""
    rows = []
    for i in range(SIDE * (tile - 1), SIDE * tile):
        part = math.exp(m.scores[i] - m.largest(tile))
        says = number(part, ".2f") if part >= 0.005 else "<0.01"
        rows.append(bar(_scored(m, i), part if told else None, DOES, f"{i}", says if told else ""))
    return bars(*rows, share=share)


def _larger(m: Found) -> Scene:
    before, sums = m.bring - 1, number(m.sum(m.bring - 1), ".2f")
    why = _(
        "From each old **score**, {score} should be taken off, not {old}: {more} more. So sum and mixture are "
        "e^{more}, {over} times, too large: × {factor}."
    )
    top = number(m.largest(before), ".1f"), number(m.largest(m.bring), ".1f")
    by = f" × {number(m.factor(m.bring), '.2f')}"
    return Scene(
        _(
            "The largest score is not known. So the largest **so far**, {old}, is taken off. Now “{best}” has {score}: "
            "what puts the old sum right?"
        ),
        (_text(m, m.bring, 0.3), _parts(m, m.bring, 0.45, False), _kept(m, 0.25, top[0], sums)),
        choose(
            _("multiplying it"),
            (_("nothing"), _("No: old words would count too much."), why),
            (_("multiplying it"), _("Yes, by {factor}."), why),
            (_("adding it up anew"), _("No: then all would be read again."), why),
        ),
        (_text(m, m.bring, 0.3), _parts(m, m.bring, 0.45), _kept(m, 0.25, top[1], sums, by)),
        _("Beside each word stands its score. Of the first tile nothing is left but what is kept."),
        _row(m),
    )


def _loop(m: Found) -> Scene:
    count = len(m.visits)
    top = max(max(map(abs, m.mixture(tiles))) for tiles in range(1, count + 1))

    def shown(tiles: int) -> Picture:
        if not tiles:
            return _text(m, 0, 0.3), _kept(m, 0.2)
        mixture = numbers(line("mixture", _("mixture"), m.mixture(tiles), "", LOOK, top), share=0.18)
        kept = number(m.largest(tiles), ".1f"), number(m.sum(tiles), ".2f")
        return _text(m, tiles, 0.26), _parts(m, tiles, 0.38), _kept(m, 0.18, *kept), mixture

    replies = []
    for tiles in range(1, count + 1):
        said = _("Nothing larger: parts are added to the sum, values to the mixture.")
        if tiles == 1:
            said = _("Its largest score is {top}; the four parts add up to {sum}, and mix their values.")
        elif m.factor(tiles) < 1:
            said = _("A larger score, {top}: sum and mixture are multiplied by {by}, then the new is added.")
        if tiles == count:
            said = _(
                "Divided by the sum, the mixture is the same as from all words at once, up to rounding: {off} "
                "millionths."
            )
        values = zip(("top", "by", "sum"), (m.largest(tiles), m.factor(tiles), m.sum(tiles)), (".1f", ".3f", ".2f"))
        own = {name: number(each, form) for name, each, form in values}
        verdict = _("Tile {n}.", n=tiles)
        replies.append(Reply(verdict, said, tiles == count, shown(tiles), own))
    return Scene(
        _(
            "This loop is **FlashAttention**. Press for each tile: its words come, leave parts and values, and are "
            "forgotten."
        ),
        shown(0),
        Again(_("Next tile"), replies),
        (),
        _(
            "All that is kept, however long the text: the largest, the sum, and a mixture of {d} numbers. What is "
            "written is rounded."
        ),
        _row(m),
    )


def _ahead(m: Found) -> Scene:
    count, skipped = len(m.visits), m.walk.skipped.tolist()
    why = _("{skip} tiles lie wholly ahead. Those on the diagonal hold words behind, too, and are made.")
    states = [[SKIPPED if each else MADE for each in row] for row in skipped]
    legend = {MADE: _("made"), SKIPPED: _("skipped")}
    return Scene(
        _("The whole map has {tiles} tiles, and no word looks ahead. How many of them need not be made at all?"),
        (tilemap(m.names, m.weights, SIDE, [[MADE] * count] * count),),
        choose(
            f"{m.walk.skipped.sum()}",
            ("0", _("No: then empty tiles would be made."), why),
            (f"{m.walk.skipped.sum()}", _("Yes."), why),
            (f"{m.walk.skipped.sum() + count}", _("No: then the diagonal would be missing."), why),
        ),
        (tilemap(m.names, m.weights, SIDE, states, legend=legend),),
        _("Rows look, columns are looked at."),
        Behind("flash_attention", {**_at(m), "br": f"{SIDE}", "bc": f"{SIDE}"}),
    )


def _memories(tiled: bool) -> Part:
    """What lies in a chip's two memories, where the map is stored and where it is made in tiles."""
    words, results = (KEPT, 1, _("words")), (KEPT, 1, _("results"))
    slow = words, *([(NONE, 2, "")] if tiled else [(AGAIN, 1, _("scores")), (AGAIN, 1, _("shares"))]), results
    fast = (NONE, 1, ""), (NEW, 2, _("one tile")) if tiled else (NONE, 2, ""), (NONE, 1, "")
    rows = cells("slow", _("slow memory"), *slow), cells("fast", _("fast memory"), *fast)
    return grid(4, *rows, share=0.4)


def _sooner(m: Found) -> Scene:
    why = _(
        "Tiles move {less}, about {bands} × {band}: scores and shares never leave the fast memory. Computing is fast, "
        "moving takes the time."
    )
    replies = guessed(why, _("Too low: it is {time}."), _("Too high: it is {time}."))
    time, moved = _time(), tiled().moved / stored().moved

    def shown(told: bool) -> Picture:
        rows = [
            bar(_("time, in tiles"), time if told else None, LOOK, "fast", _ms(tiled()) if told else ""),
            bar(_("time, stored"), 1, SOFT, "slow", _ms(stored())),
        ]
        if told:
            rows.append(bar(_("moved, in tiles"), moved, LOOK, "less", _mb(tiled().moved)))
            rows.append(bar(_("moved, stored"), 1, SOFT, "moved", _mb(stored().moved)))
        return _memories(told), bars(*rows, share=0.6)

    return Scene(
        _(
            "With {length} words, scores and shares go to slow memory and back: {moved}, {slow}. How much of that "
            "time do tiles take? Drag."
        ),
        shown(False),
        Drag(_("Time that tiles take, in per cent"), _("Count"), 100 * time, replies, within=5),
        shown(True),
        _(
            "Stored, the map, {map}, moves four times. A tile fits into fast memory: only, for each of {bands} rows of "
            "tiles, all keys and values are read, {band}. One head, none skipped; ms, thousandths of a second, by the "
            "data sheet of a chip, {chip}."
        ),
        Behind("flash_attention", {"part": "Memory and time", "len": f"{LENGTH}"}),
    )


def _at(m: Found) -> dict[str, str]:
    return {"model": MODEL, "text": STORY, "head": "{}.{}".format(*HEAD)}


def _row(m: Found) -> Behind:
    return Behind("flash_attention", {**_at(m), "part": "One row", "query": f"{len(m.tokens) - 1}"})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    count = len(m.visits)
    by = number(m.factor(m.bring), ".2f")
    states = [[NOW if (row, at) == (count - 1, 0) else GONE for at in range(count)] for row in range(count)]
    return [
        End(
            _("A map is made in tiles, each used and forgotten. Only a largest score, a sum and a mixture are kept."),
            (tilemap(m.names, m.weights, SIDE, states),),
        ),
        End(
            _(
                "A share is a part of one sum. When a larger score comes, old sum and mixture are multiplied by one "
                "factor."
            ),
            (bars(bar(_("old sum"), 1, SOFT, says="1"), bar(_("times"), m.factor(m.bring), LOOK, says=by)),),
        ),
        End(
            _("Tiles compute as much as a stored map, but move {less}, not {moved}. Moving takes the time."),
            (bars(bar(_("stored"), 1, SOFT), bar(_("tiles"), tiled().moved / stored().moved, DOES)),),
        ),
    ]


LESSON = Lesson(
    "tiles",
    N_("Tiles"),
    N_("A map of millions of cells that is never stored: softmax tile by tile, FlashAttention, and why it is faster."),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
    measured_on=N_(
        "Scores and mixtures are of a small real model; bytes and times are computed, for one head on an H100."
    ),
)
