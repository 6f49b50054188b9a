"""Beams of several widths beside each other: what each one kept at every step, and where it lost a given text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tlmviz.decoding.records import Candidate, Search

from .beam_tree import levels

ALIVE = ("kept", "finished")


@dataclass(frozen=True)
class Beginning:
    """A beginning that a search kept at its step, or a text that it finished there.

    `parent` is its place in the list that holds it, -1 where nothing was written before; `rank` counts from 0 among all
    of its step by log P, `total` in nats.
    """

    node: int
    parent: int
    step: int
    rank: int
    token: int
    total: float
    finished: bool


@dataclass(frozen=True)
class Loss:
    """Where a search lost a text: its beginning of `step` tokens, of log P `total`, is not among what was kept.

    `how` is "dropped" when others were more probable, the least probable of the `kept` ones with log P `least`; "ended"
    when the search was over before the text was complete, after `step` steps.
    """

    step: int
    how: Literal["dropped", "ended"]
    total: float
    kept: int
    least: float


def kept(search: Search) -> list[Beginning]:
    """Everything that a search kept or finished, step by step and by log P."""
    nodes = search.nodes
    order = sorted(
        (i for i, node in enumerate(nodes) if i and node.state in ALIVE),
        key=lambda i: (nodes[i].depth, -nodes[i].total),
    )
    places = {0: -1}
    found: list[Beginning] = []
    for number in order:
        node = nodes[number]
        rank = found[-1].rank + 1 if found and found[-1].step == node.depth else 0
        places[number] = len(found)
        found.append(
            Beginning(number, places[node.parent], node.depth, rank, node.token, node.total, node.state == "finished")
        )
    return found


def way(beginnings: Sequence[Beginning], tokens: Sequence[int]) -> list[int]:
    """The places of a text's beginnings, as far as they were kept."""
    known = {(one.parent, one.token): place for place, one in enumerate(beginnings)}
    places: list[int] = []
    for token in tokens:
        place = known.get((places[-1] if places else -1, token))
        if place is None:
            break
        places.append(place)
    return places


def loss(search: Search, text: Candidate) -> Loss | None:
    """Where a search lost a text; None when it finished it, or kept it to its end."""
    found = len(way(kept(search), text.tokens))
    if found == len(text.tokens):
        return None
    totals = np.cumsum(text.logps, dtype=np.float64)
    at = {level.depth: level for level in levels(search)}
    if found + 1 not in at:
        return Loss(found, "ended", float(totals[found - 1]) if found else 0.0, 0, np.nan)
    alive = [node.total for node in search.nodes if node.depth == found + 1 and node.state in ALIVE]
    return Loss(found + 1, "dropped", float(totals[found]), len(alive), min(alive, default=np.nan))


def parting(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The first step, from 0, at which two texts differ; None where they are the same or one only goes on."""
    return next((step for step, (a, b) in enumerate(zip(one, other)) if a != b), None)


def worse_when_wider(scores: dict[int, float], least: float = 1e-3) -> list[tuple[int, int]]:
    """Neighbouring widths of which the wider one's best score is lower by `least` nats or more."""
    widths = sorted(scores)
    return [(a, b) for a, b in zip(widths, widths[1:]) if scores[b] < scores[a] - least]
