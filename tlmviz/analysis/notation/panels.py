"""A tensor of any number of axes as the matrix that is drawn: two of its axes, the chosen head, the first of all
others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from tlmviz.analysis.attention.matrices import Panel

from .tensors import LETTERS

MOST = 192  # rows and columns that are drawn
WORDS = {
    "time": "token",
    "head": "head",
    "group": "group",
    "model": "channel",
    "dim": "dimension",
    "hidden": "hidden unit",
}


@dataclass(frozen=True)
class Cut:
    """Which axes are drawn as rows and columns, None where there are not so many, and where the others are cut."""

    rows: int | None
    columns: int | None
    at: tuple[int, ...]


def cut(letters: Sequence[str], shape: Sequence[int], head: int) -> Cut:
    """Positions of queries as rows and of keys as columns, else the first axis and the last that is no head."""
    kinds = [LETTERS.get(letter[0], "") for letter in letters]
    plain = [number for number, kind in enumerate(kinds) if kind not in ("head", "group")]
    plain = plain if len(plain) > 1 else list(range(len(letters)))
    if not plain:
        return Cut(None, None, ())
    rows = plain[0]
    times = [number for number in plain[1:] if kinds[number] == "time"]
    columns = times[0] if times else plain[-1] if len(plain) > 1 else None
    at = tuple(
        min(head, size - 1) if kind == "head" else min(head, size - 1) * (kind == "group")
        for kind, size in zip(kinds, shape)
    )
    return Cut(rows, columns, at)


def panel(name: str, value: Tensor, letters: Sequence[str], head: int, tokens: Sequence[str]) -> Panel:
    """What is drawn of a tensor whose axes have these indices; `tokens` name the positions, and may be none."""
    chosen = cut(letters, value.shape, head)
    index = tuple(
        slice(0, MOST) if axis in (chosen.rows, chosen.columns) else place for axis, place in enumerate(chosen.at)
    )
    part = value[index].float().numpy()
    if chosen.rows is not None and chosen.columns is not None and chosen.rows > chosen.columns:
        part = part.T
    part = part.reshape(part.shape[0] if part.ndim else 1, -1)
    fixed = [
        f"{letter}={place}"
        for axis, (letter, place) in enumerate(zip(letters, chosen.at))
        if axis not in (chosen.rows, chosen.columns)
    ]
    sizes = ", ".join(f"{letter}={size}" for letter, size in zip(letters, value.shape))
    finite = np.where(np.isfinite(part), part, np.nan).astype(np.float32)
    return Panel(
        name + (f", {', '.join(fixed)}" if fixed else ""),
        f"[{sizes}]",
        finite,
        np.arange(part.shape[0]),
        np.arange(part.shape[1]),
        "probability" if name.partition(" ")[0] == "A" and np.nanmin(finite, initial=0.0) >= 0 else "signed",
        x=_axis(letters, chosen.columns),
        y=_axis(letters, chosen.rows),
        note="" if max(part.shape) < MOST else f"the first {MOST}",
        row_labels=_labels(letters, chosen.rows, part.shape[0], tokens),
        col_labels=_labels(letters, chosen.columns, part.shape[1], tokens),
    )


def _axis(letters: Sequence[str], axis: int | None) -> str:
    if axis is None:
        return ""
    word = WORDS.get(LETTERS.get(letters[axis][0], ""), "")
    return f"{letters[axis]}, {word}" if word else letters[axis]


def _labels(letters: Sequence[str], axis: int | None, count: int, tokens: Sequence[str]) -> tuple[str, ...]:
    if axis is None or LETTERS.get(letters[axis][0]) != "time" or len(tokens) < count:
        return ()
    return tuple(tokens[:count])
