"""The finder: which heads of a survey a query such as `previous-token > 0.3 and layer < 4` names.

A small language of its own, never evaluated as Python: comparisons of statistics and numbers, joined by `and`, `or`,
`not` and brackets.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from rapidfuzz import fuzz, process

from tlmviz.errors import BadQuery

from .shards import STATISTICS

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 300  # characters of a query
DEEPEST = 20  # brackets and nots within one another: each takes frames of Python's stack
ALIASES = {  # what else a column is called
    "previous-token": "previous",
    "prev": "previous",
    "first-token": "sink",
    "first": "sink",
    "max": "peak",
    "maximum": "peak",
    "diagonal": "self",
    "repeat": "induction",
    "repeats": "induction",
}
COLUMNS = ("layer", "head", *STATISTICS)
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
WORDS = ("and", "or", "not")
ALLOWED = (
    f"a query compares {', '.join(COLUMNS)} with numbers by < <= > >= =, and joins comparisons by and, or, not and "
    "brackets, as in: previous-token > 0.3 and layer < 4"
)
_PART = re.compile(r"\s*(?:(\d+\.?\d*|\.\d+)|([A-Za-z][A-Za-z_-]*)|(<=|>=|<|>|=)|([()]))")


def find(heads: pd.DataFrame, query: str) -> np.ndarray:
    """Which lines of a survey's table `heads` a query names, as booleans; an empty query names all of them.

    A statistic that a head does not have fulfils no comparison. Raises BadQuery, with what is allowed, for anything
    else.
    """
    if len(query) > LONGEST:
        raise BadQuery(f"This query has {len(query):,} characters, and at most {LONGEST} are read; {ALLOWED}.")
    parts = _parts(query)
    if not parts:
        return np.ones(len(heads), bool)
    return _Reader(parts, heads).all()


def _parts(query: str) -> list[str]:
    """Numbers, names, signs and brackets, in order; names in small letters, and each by its column's own name."""
    found, place = [], 0
    query = query.replace("≤", "<=").replace("≥", ">=").rstrip()
    while place < len(query):
        match = _PART.match(query, place)
        if match is None:
            raise BadQuery(f"“{query[place:].strip()[:20]}” cannot be read; {ALLOWED}.")
        number, name, sign, bracket = match.groups()
        found.append(_column(name) if name else number or sign or bracket)
        place = match.end()
    return found


def _column(name: str) -> str:
    """A column or a word of the language. Raises BadQuery, with the nearest name, for any other."""
    plain = name.lower().replace("_", "-")
    if plain in COLUMNS or plain in WORDS:
        return plain
    if plain in ALIASES:
        return ALIASES[plain]
    nearest = process.extractOne(plain, (*COLUMNS, *ALIASES), scorer=fuzz.ratio, score_cutoff=60)
    meant = f" (did you mean “{nearest[0]}”?)" if nearest else ""
    raise BadQuery(f"There is no “{name[:40]}” here{meant}; {ALLOWED}.")


class _Reader:
    """Reads parts from left to right: `or` binds least, then `and`, then `not`."""

    def __init__(self, parts: list[str], heads: pd.DataFrame) -> None:
        self.parts, self.heads, self.place, self.depth = parts, heads, 0, 0

    def all(self) -> np.ndarray:
        """The whole query."""
        found = self._either()
        if self.place < len(self.parts):
            raise self._unexpected("and, or, or the end")
        return found

    def _next(self) -> str:
        return self.parts[self.place] if self.place < len(self.parts) else ""

    def _take(self, *parts: str) -> bool:
        if self._next() in parts:
            self.place += 1
            return True
        return False

    def _unexpected(self, wanted: str) -> BadQuery:
        got = f"“{self._next()[:40]}”" if self._next() else "the end"
        return BadQuery(f"{wanted} should stand where {got} is; {ALLOWED}.")

    def _either(self) -> np.ndarray:
        found = self._both()
        while self._take("or"):
            found = found | self._both()
        return found

    def _both(self) -> np.ndarray:
        found = self._one()
        while self._take("and"):
            found = found & self._one()
        return found

    def _one(self) -> np.ndarray:
        if self._take("not"):
            return ~self._within(self._one)
        if self._take("("):
            found = self._within(self._either)
            if not self._take(")"):
                raise self._unexpected("A closing bracket")
            return found
        left = self._value()
        if self._next() not in OPERATORS:
            raise self._unexpected("One of < <= > >= =")
        found = np.ones(len(self.heads), bool)
        while self._next() in OPERATORS:  # 0.1 < sink < 0.5 compares twice
            compare = OPERATORS[self._next()]
            self.place += 1
            right = self._value()
            found = found & compare(left, right)
            left = right
        return found

    def _within(self, read: Callable[[], np.ndarray]) -> np.ndarray:
        """What `read` reads one bracket or `not` deeper. Raises BadQuery where that is too deep."""
        if self.depth == DEEPEST:
            raise BadQuery(f"More than {DEEPEST} brackets and nots stand within one another; {ALLOWED}.")
        self.depth += 1
        found = read()
        self.depth -= 1
        return found

    def _value(self) -> np.ndarray:
        part = self._next()
        if part in COLUMNS:
            values = self.heads[part].to_numpy(float)
        elif part[:1].isdigit() or part[:1] == ".":
            values = np.full(len(self.heads), float(part))
        else:
            raise self._unexpected("A statistic or a number")
        self.place += 1
        return values
