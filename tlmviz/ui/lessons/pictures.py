"""The pictures of lessons as their scenes name them; `components/lesson` draws each from its options alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tlmviz.figures.tokens import readable

from ..language import _
from .parts import Part

INK, SOFT, LOOK, DOES, NOTE = ("ink", "soft", "look", "does", "note")  # tones; a head keeps its own through a lesson


def look(name: str, at: int, weights: Sequence[float], tone: str = LOOK, off: bool = False) -> dict[str, object]:
    """One head's look from the token `at` as arcs; `off` where it is silenced."""
    shares = {str(i): round(float(weight), 6) for i, weight in enumerate(weights) if weight > 0.01}
    return {"id": name, "from": at, "weights": shares, "tone": tone, "off": off}


def strip(
    tokens: Sequence[str],
    *,
    blank: str = "?",
    told: bool = False,
    under: int | None = None,
    looks: Iterable[Mapping[str, object]] = (),
    faint: Iterable[int] = (),
    press: Iterable[int] = (),
    swapped: Iterable[int] = (),
    notes: Mapping[int, str] | None = None,
    verb: str = "",
    share: float = 1.0,
) -> Part:
    """A text token by token with looks on it, without the sign in front. `blank` stands at its end, bold where it is
    `told`; `notes` are tags below words, which glide where they go to another."""
    words = [
        [i, (" " if token.startswith(" ") else "") + readable(token).strip()] for i, token in enumerate(tokens) if i
    ]
    options = {
        "words": words,
        "blank": blank,
        "told": told,
        "under": under,
        "looks": list(looks),
        "faint": list(faint),
        "press": list(press),
        "picked": None,
        "swapped": list(swapped),
        "notes": [*(notes or {}).items()],
        "verb": verb or _("Tap"),
    }
    return Part("strip", options, share)


def bar(label: str, share: float | None, tone: str = INK, name: str = "", says: str = "") -> dict[str, object]:
    """One bar; without a `share` it is not told yet. Bars of one `name`, else of one label, glide from one value to
    another.

    `says` stands in place of its per cent.
    """
    told = share if share is None else float(f"{share:.6g}")  # none but 0 is 0, which is written as 0%
    row: dict[str, object] = {"id": name or label, "label": label, "share": told, "tone": tone}
    return row | ({"says": says} if says else {})


def bars(*rows: Mapping[str, object], head: str = "", share: float = 1.0) -> Part:
    """Bars from 0 to 100%; what they are of stands above them, where it is said in `head`."""
    return Part("bars", {"rows": rows} | ({"head": head} if head else {}), share)


def likeliest(top: Iterable[tuple[str, float]], share: float = 0.36) -> Part:
    """The likeliest words, the first one strong, below a text."""
    rows = (bar(name, each, SOFT if n else INK) for n, (name, each) in enumerate(top))
    return bars(*rows, head=_("next word"), share=share)


def odds(scored: str, sure: str, score: float, rest: float, share: float = 1.0) -> Part:
    """A slider that takes points off a word's `score`, down to none, and the share that softmax makes of what is left.

    `rest` is the log-sum-exp of all other words' scores; `scored` and `sure` name the two bars.
    """
    return Part("odds", {"scored": scored, "sure": sure, "score": score, "rest": rest, "value": 100}, share)


def ring(name: str, share: float, says: str = "", tone: str = INK, off: bool = False) -> dict[str, object]:
    """One head as a ring, of which a `share` is drawn; `says` stands below it, on one or two lines."""
    return {"name": name, "share": round(share, 6), "says": says, "tone": tone, "off": off}


def rings(*heads: Mapping[str, object], press: bool = False, verb: str = "", share: float = 1.0) -> Part:
    """Heads beside one another, which can be pressed."""
    options = {"heads": heads, "press": [head["name"] for head in heads] if press else [], "chosen": [], "verb": verb}
    return Part("rings", options, share)


def ray(
    name: str, left: float, right: float, lefts: str, rights: str, tone: str = SOFT, strong: bool = False
) -> dict[str, object]:
    """One head of a fan: its two measures as heights from 0 to 1, and as they are written."""
    return {
        "name": name,
        "left": left,
        "right": right,
        "lefts": lefts,
        "rights": rights,
        "tone": tone,
        "strong": strong,
    }


def fan(left: str, right: str, *rays: Mapping[str, object], share: float = 1.0) -> Part:
    """Two measures of some heads, a line from one to the other; up is more."""
    return Part("fan", {"titles": [left, right], "lines": rays}, share)


def cards(*brought: tuple[str, str, Sequence[tuple[str, float]]], share: float = 1.0) -> Part:
    """What heads add to the scores of words: name, tone, words with their points."""
    return Part("cards", {"cards": [{"name": name, "tone": tone, "rows": rows} for name, tone, rows in brought]}, share)


def line(
    name: str,
    label: str,
    values: Sequence[float | None],
    says: str = "",
    tone: str = INK,
    top: float = 0,
    names: Sequence[str] = (),
) -> dict[str, object]:
    """One row of numbers as bars above and below zero; those that are None are not told yet. `names` stand below them.

    `top` is drawn as high as another row's; without it, the largest of the row is.
    """
    told = [value if value is None else round(value, 2) for value in values]
    largest = top or max((abs(value) for value in told if value is not None), default=1)
    row = {"id": name, "label": label, "values": told, "says": says, "tone": tone, "top": largest}
    return row | ({"names": [*names]} if names else {})


def numbers(*lines: Mapping[str, object], at: int | None = None, share: float = 1.0) -> Part:
    """Rows of numbers, number above number; the column `at` is marked."""
    return Part("numbers", {"rows": lines, "at": at}, share)


def cloud(name: str, label: str, values: Sequence[float] | None, says: str = "?", tone: str = INK) -> dict[str, object]:
    """Numbers as dots left and right of zero; without `values` they are not told yet."""
    told = values if values is None else [round(value, 2) for value in values]
    return {"id": name, "label": label, "values": told, "says": says, "tone": tone}


def dots(span: float, *clouds: Mapping[str, object], share: float = 1.0) -> Part:
    """Dots from -`span` to `span`, to see how wide each row of them lies."""
    return Part("dots", {"rows": clouds, "span": span}, share)


def page(link: str) -> Part:
    """A page of the app, live, in the picture's place."""
    return Part("page", {"link": link})


def floor(
    label: str,
    parts: Mapping[str, bool],
    *,
    says: str | None = None,
    share: float | None = None,
    tone: str = INK,
    off: bool = False,
    idle: bool = False,
    name: str = "",
) -> dict[str, object]:
    """One floor of a tower: its parts, and whether each works; all of it `off`, or `idle` as it has not worked yet.
    Behind it `says` is guessed, with its share."""
    told = share if share is None else round(share, 6)
    return {
        "id": name or label,
        "label": label,
        "parts": [*parts.items()],
        "off": off,
        "idle": idle,
        "says": says,
        "share": told,
        "tone": tone,
    }


def tower(
    *floors: Mapping[str, object], stream: str = "", press: Iterable[str] = (), verb: str = "", share: float = 1.0
) -> Part:
    """Floors from the bottom up, of which some can be pressed; `stream` names the line that runs through them."""
    return Part("tower", {"floors": floors, "stream": stream, "press": list(press), "verb": verb}, share)


def hand(name: str, angle: float, tone: str = INK, broad: bool = False, length: float = 1.0) -> dict[str, object]:
    """A hand of a clock: its angle in degrees, clockwise from the right, and its length, of the clock's; on a `broad`
    one another is seen that points alike."""
    return {"name": name, "angle": round(angle, 2), "length": round(length, 3), "tone": tone, "broad": broad}


def clock(name: str, label: str, *hands: Mapping[str, object], says: str = "") -> dict[str, object]:
    """A clock with its hands, broad ones first; `label` stands below it, and `says` below that. Without hands: not told
    yet."""
    return {"id": name, "label": label, "says": says, "hands": hands}


def clocks(*those: Mapping[str, object], legend: Sequence[tuple[str, str]] = (), share: float = 1.0) -> Part:
    """Clocks beside one another; `legend` says what the hands are: text and tone."""
    return Part("clocks", {"clocks": those, "legend": legend}, share)


NEW, KEPT, SHARED, AGAIN, NONE = "new", "kept", "shared", "again", "none"  # what a cell of a grid is
Row = Mapping[str, object]
Cell = tuple[str, int, str]  # its state, how many columns it is wide, what it says where there is room


def cells(name: str, label: str, *run: Cell, says: str = "", start: int = 0) -> Row:
    """One row of a grid: cells one beside another from the column `start` on; `says` stands at its end."""
    found = []
    for state, wide, text in run:
        found.append((start, wide, state, text))
        start += wide
    return {"id": name, "label": label, "says": says, "cells": found}


def grid(
    columns: int,
    *rows: Row,
    heads: Sequence[str] = (),
    legend: Mapping[str, str] | None = None,
    press: Iterable[int] = (),
    verb: str = "",
    share: float = 1.0,
) -> Part:
    """Cells in rows; `legend` says what states mean. `press`: cells to tap, each as row times `columns` and its
    column."""
    options = {
        "rows": rows,
        "columns": columns,
        "heads": heads,
        "legend": [*(legend or {}).items()],
        "press": list(press),
        "verb": verb or _("Tap"),
    }
    return Part("grid", options, share)


def matrix(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    right: Sequence[str] = (),
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
    lit: int | None = None,
    share: float = 1.0,
) -> Part:
    """A table of numbers; what is written `right` of its rows and `below` its columns has titles. The row `lit` is
    marked."""
    rounded = [[round(value, 4) for value in row] for row in values]
    options = {
        "rows": rows,
        "columns": columns,
        "values": rounded,
        "right": right,
        "below": below,
        "titles": titles,
        "lit": lit,
    }
    return Part("matrix", options, share)


NOW, MADE, GONE, SKIPPED = "now", "made", "gone", "skipped"  # what a tile of a map is


def tilemap(
    words: Sequence[str],
    weights: Sequence[Sequence[float]],
    side: int = 0,
    tiles: Sequence[Sequence[str]] = (),
    *,
    legend: Mapping[str, str] | None = None,
    share: float = 1.0,
) -> Part:
    """A head's map, a row for each word; with a `side` it is cut into tiles of so many rows and columns, each in its
    state."""
    rounded = [[round(float(weight), 3) for weight in row[: n + 1]] for n, row in enumerate(weights)]
    options = {"words": words, "weights": rounded, "side": side, "tiles": tiles, "legend": [*(legend or {}).items()]}
    return Part("map", options, share)


Place = tuple[float, float]  # from -1 to 1 both ways


def point(name: str, at: Place, tone: str = INK, strong: bool = False) -> dict[str, object]:
    """A named point of a plane."""
    return {"id": name, "x": round(at[0], 4), "y": round(at[1], 4), "tone": tone, "strong": strong}


def way(name: str, start: Place, end: Place, says: str = "", tone: str = SOFT) -> dict[str, object]:
    """A way from one place of a plane to another, at whose end something is said."""
    return {"id": name, "from": list(start), "to": list(end), "says": says, "tone": tone}


def plane(*points: Mapping[str, object], ways: Iterable[Mapping[str, object]] = (), share: float = 1.0) -> Part:
    """Points and ways of a plane."""
    return Part("plane", {"points": points, "ways": list(ways)}, share)


def twig(
    name: str,
    parent: str | None,
    label: str,
    share: float,
    says: str = "",
    end: str = "",
    tone: str = INK,
    faint: bool = False,
) -> Row:
    """A word of a tree behind its parent, None at the root: its `share`; `says` stands below it, `end` behind it."""
    return {
        "id": name,
        "parent": parent,
        "label": label,
        "share": round(share, 6),
        "says": says,
        "end": end,
        "tone": tone,
        "faint": faint,
    }


def tree(*twigs: Row, press: Iterable[int] = (), verb: str = "", share: float = 1.0) -> Part:
    """Ways that a text may go on, word by word. `press`: twigs to tap, by their number."""
    return Part("tree", {"nodes": twigs, "press": list(press), "verb": verb or _("Tap")}, share)


def stepped(
    name: str, label: str, ticks: Iterable[float], dots: Iterable[float], says: str = "", tone: str = INK
) -> dict[str, object]:
    """One number line: the steps of a format, and numbers as dots."""
    told = [[float(f"{each:.5g}") for each in values] for values in (ticks, dots)]  # narrow steps stay alike wide
    return {"id": name, "label": label, "says": says, "tone": tone, "ticks": told[0], "dots": told[1]}


def steps(
    low: float, high: float, *lines: Mapping[str, object], named: Iterable[tuple[float, str]] = (), share: float = 1.0
) -> Part:
    """Number lines from `low` to `high`, one above another; `named` values are written below."""
    return Part("steps", {"rows": lines, "low": low, "high": high, "named": list(named)}, share)


def pair(
    first: Sequence[str],
    second: Sequence[str],
    looks: Iterable[tuple[int, Sequence[float], str]] = (),
    *,
    under: int | None = None,
    bold: bool = False,
    press: Iterable[int] = (),
    verb: str = "",
    share: float = 1.0,
) -> Part:
    """Two texts, with looks from tokens of the second at those of the first: token, a weight for each of the first,
    tone.

    The token `under` of the second is underlined, `bold` where it is new; those of the first can be pressed.
    """
    drawn = [
        {"from": at, "weights": [round(float(weight), 6) for weight in weights], "tone": tone}
        for at, weights, tone in looks
    ]
    options = {
        "words": [*enumerate(first)],
        "below": second,
        "looks": drawn,
        "under": under,
        "bold": bold,
        "press": [*press],
        "verb": verb or _("Tap"),
    }
    return Part("pair", options, share)


def panel(
    name: str,
    label: str = "",
    *,
    shades: Iterable[float] = (),
    shares: Iterable[tuple[int, float]] = (),
    says: Iterable[tuple[int, str, bool]] = (),
    lit: Iterable[int] = (),
    tone: str = LOOK,
) -> dict[str, object]:
    """A picture of digits once: `shades` of its 9 cells or 36 patches, from 0 to 1, `shares` written in cells, what is
    said in others, loud or not, and the cells that are `lit`; `label` stands below."""
    return {
        "id": name,
        "label": label,
        "shades": [round(float(each), 3) for each in shades],
        "shares": [[at, round(float(share), 6)] for at, share in shares],
        "says": [*says],
        "lit": [*lit],
        "tone": tone,
    }


def handwritten(
    cells: Sequence[str],
    *panels: Mapping[str, object],
    names: Sequence[str] = (),
    press: Iterable[int] = (),
    offer: str = "",
    verb: str = "",
    share: float = 1.0,
) -> Part:
    """Nine cells with written digits, each 64 letters (`tlmviz.digits.written`) or "" where it is empty, drawn once for
    each panel. In the first, cells can be pressed: `names` say which; where one is empty, `offer` stands in it."""
    options = {
        "cells": cells,
        "panels": panels,
        "names": names,
        "press": [*press],
        "offer": offer,
        "picked": None,
        "verb": verb or _("Tap"),
    }
    return Part("handwritten", options, share)
