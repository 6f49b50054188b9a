"""What the part Masks says about its table and pictures, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.kernels import needle
from tlmviz.analysis.kernels.sparse_methods import SWAPPED
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, listed, ngettext

from ..maps.claims import queries
from .data import Data, Row
from .state import FULL

FREE = 0.01  # nats per token


def signed(nats: float) -> str:
    """A change of the loss; nothing is +0.000."""
    return number(round(nats, 3) + 0.0, "+.3f")


def _others(data: Data) -> list[Row]:
    """The methods beside full attention."""
    return data.rows[1:]


def _cheap(data: Data) -> Row | None:
    """Of the methods that lose nothing and need fewer operations, the one that needs fewest."""
    free = [row for row in _others(data) if row.change < FREE and row.flops < data.rows[0].flops]
    return min(free, key=lambda row: row.flops, default=None)


def loses_nothing(data: Data) -> str | None:
    """A method that is cheaper and costs no loss."""
    if not (row := _cheap(data)):
        return None
    return _(
        "*{method}* in place of full attention sees {seen} keys a query on average and needs {share} of the "
        "operations, and over the first {tokens} tokens the loss differs by {change} nats a token.",
        method=row.method,
        seen=f"{row.seen:,.0f}",
        share=number(row.flops / data.rows[0].flops, ".0%"),
        tokens=f"{min(len(data.passage.ids), SWAPPED):,}",
        change=signed(row.change),
    )


def all_lose(data: Data) -> str | None:
    """Every cheaper method costs loss."""
    cheaper = [row for row in _others(data) if row.flops < data.rows[0].flops]
    if not cheaper or _cheap(data):
        return None
    row = min(cheaper, key=lambda row: row.change)
    return _(
        "Every method here that is cheaper than full attention costs loss; least *{method}*: {change} nats a token.",
        method=row.method,
        change=signed(row.change),
    )


def nothing_compared(data: Data) -> str | None:
    """Full attention alone."""
    if _others(data):
        return None
    return _("Nothing is compared with full attention: choose a method.")


def loses_most(data: Data) -> str | None:
    """The method that loses most."""
    others = _others(data)
    row = max(others, key=lambda row: row.change, default=None)
    if row is None or row.change < FREE or len(others) < 2:
        return None
    return _("Most loses *{method}*: {change} nats a token.", method=row.method, change=signed(row.change))


def covers_less_than_it_loses(data: Data) -> str | None:
    """What the cheap method misses of the attention, where both are of the same tokens."""
    row = _cheap(data)
    if row is None or len(data.passage.ids) > SWAPPED or number(1 - row.mass, ".0%") == "0%":
        return None
    return _(
        "Yet *{method}* misses {missed} of the attention: what this model predicts does not need it.",
        method=row.method,
        missed=number(1 - row.mass, ".0%"),
    )


def sees_everything(data: Data) -> str | None:
    """Methods whose sizes reach over the whole text."""
    names = [f"*{row.method}*" for row in data.rows[1:] if row.flops >= data.rows[0].flops]
    if not names:
        return None
    return ngettext(
        "On so short a text {names} needs no fewer operations than full attention.",
        "On so short a text {names} need no fewer operations than full attention.",
        len(names),
        names=listed(names),
    )


CLAIMS = loses_nothing, all_lose, nothing_compared, sees_everything, covers_less_than_it_loses, loses_most
HINTS = (Hint(N_("Switch on *Needle test: which of them still find a name?*"), to(needle=True)),)
NOTICE = (
    N_(
        "The model was trained with full attention and nothing is retrained: what is lost here is what *this* model "
        "used."
    ),
    N_(
        "Linear attention keeps a state whose size does not depend on the text; without retraining the model cannot "
        "use it."
    ),
)


def caption(data: Data) -> str:
    """What the numbers of the table were measured on, and of which methods keys were counted at those queries."""
    count, length = data.results[FULL].measures[0].queries, len(data.passage.ids)
    sampled = [name for name, part in data.results.items() if not part.measures[0].counted]
    said = _(
        "Mass and error: {some}, averaged over all heads. Keys and FLOP: every query, by formula",
        some=queries(count, length),
    )
    if sampled and count < length:
        said += _("; of {names} the same {count}", names=listed(sampled), count=f"{count:,}")
    said += _(
        ". Loss: a real pass with the method in every layer, over the first {tokens} tokens",
        tokens=f"{min(length, SWAPPED):,}",
    )
    if length > SWAPPED:
        said += _(" (at most {most}, to keep it short)", most=f"{SWAPPED:,}")
    return said + _(
        ". FLOP: scores, weighted sum and what chooses the cells, without projections. BigBird, LSH and Performer draw "
        "at random (seeded)."
    )


def reaches(data: Data) -> str:
    """How many tokens back each method found the names."""
    far = {name: needle.reach(line) for name, line in data.gains.items()}
    found = [
        _("{name} up to {reach} tokens back", name=name, reach=reach)
        for name, reach in far.items()
        if reach is not None
    ]
    lost = [name for name, reach in far.items() if reach is None]
    said = []
    if found:
        said.append(
            _(
                "Found (the names gain {gain} nats per token or more): {found}.",
                gain=f"{needle.FOUND:g}",
                found=", ".join(found),
            )
        )
    if lost:
        said.append(_("Not even {nearest} tokens back: {lost}.", nearest=needle.DISTANCES[0], lost=", ".join(lost)))
    said.append(
        _(
            "Gain: log p of the repeated names, minus the same where stories stand in place of the first ones, both "
            "with the method in every layer."
        )
    )
    return " ".join(said)
