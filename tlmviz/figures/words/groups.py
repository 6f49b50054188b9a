"""What the points of a map of vectors are coloured by: a group for each point, and a colour for each group in both
themes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..theme import DARK, HEADS, LIGHT, rgb
from ..tokens import SPACE

RANKS = (100, 300, 1_000, 3_000, 10_000)  # the last row of each group but the last


@dataclass(frozen=True)
class Group:
    """A name and its colours in the light and in the dark theme; both empty for points that belong to none."""

    name: str
    light: str = ""
    dark: str = ""


OTHER = Group("in none")
Grouped = tuple[list[Group], np.ndarray]


def by_category(names: Sequence[str], categories: Mapping[str, Sequence[str]]) -> Grouped:
    """Groups of hand-made categories, and of each point its group, 0 for none. A token counts with the space before
    it."""
    numbers = {word: k for k, words in enumerate(categories.values(), 1) for word in words}
    spaced = any(name.startswith(SPACE) for name in names)
    keys = [name.removeprefix(SPACE) if spaced == name.startswith(SPACE) else "" for name in names]
    groups = [Group(name, *_colour(k)) for k, name in enumerate(categories)]
    return [OTHER, *groups], np.array([numbers.get(key, 0) for key in keys])


def by_rank(names: Sequence[str]) -> Grouped:
    """Groups of rows: the vocabulary's first, which are the most frequent, in the strongest colour."""
    used = [last for last in RANKS if last < len(names)]
    firsts = [1, *(last + 1 for last in used)]
    groups = [
        Group(f"{first:,}–{last:,}", LIGHT.sequential[6 - k], DARK.sequential[6 - k])
        for k, (first, last) in enumerate(zip(firsts, [*used, len(names)]))
    ]
    return [OTHER, *groups], 1 + np.searchsorted(np.array(used), np.arange(1, len(names) + 1))


def by_kind(names: Sequence[str]) -> Grouped:
    """Groups of what tokens are made of: word beginnings, parts of words, digits, signs, bytes and marks."""
    kinds = ("begins a word", "goes on", "digits", "signs", "bytes, marks, unused")
    colours = (HEADS[0], HEADS[1], HEADS[2], HEADS[3], HEADS[4])
    return [OTHER, *map(Group, kinds, colours, colours)], np.array([1 + _kind(name) for name in names])


def _kind(name: str) -> int:
    if name.startswith("<") and name.endswith(">") and len(name) > 2:
        return 4
    bare = name.strip(SPACE + "⏎⇥")
    if any(char.isalpha() for char in bare):
        return 0 if name.startswith(SPACE) else 1
    return 2 if any(char.isdigit() for char in bare) else 3


def _colour(number: int) -> tuple[str, str]:
    """A colour for each of sixteen in both themes: the eight of HEADS, and eight made darker and lighter from them."""
    base = HEADS[number % len(HEADS)]
    if number < len(HEADS):
        return base, base
    return _mixed(base, LIGHT.ink, 0.45), _mixed(base, DARK.ink, 0.45)


def _mixed(one: str, other: str, share: float) -> str:
    return "#" + "".join(f"{round((1 - share) * a + share * b):02x}" for a, b in zip(rgb(one), rgb(other)))
