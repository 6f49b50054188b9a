"""Vectors as points in a plane, drawn by the browser: the points are sent once, what is chosen travels apart from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from tlmviz import figures
from tlmviz.figures.words.groups import Group
from tlmviz.figures.words.points import Plane
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_points = component("tlmviz_projector", Path(__file__).parent)
_marks = component("tlmviz_projector_marks", Path(__file__).parent, entry="marks.js")


@dataclass(frozen=True)
class Film:
    """What is said of each frame, and the loss there, None where it was not measured."""

    at: Sequence[str]
    losses: Sequence[float | None]


def payload(
    names: Sequence[str],
    plane: Plane,
    groups: Sequence[Group],
    group_of: Int[np.ndarray, " n"],
    near: tuple[Int[np.ndarray, "n k"], Float[np.ndarray, "n k"]] | None,
    *,
    space: str,
    title: str,
    kind: str,
    large: bool,
    film: Film | None,
) -> bytes:
    """The points with their names, colours and, where the browser is to have them, neighbours with cosines.

    Two bytes for each coordinate: a 65,536th of the picture. `large` says that few points are coloured.
    """
    header = {
        "space": space,
        "title": title,
        "file": "tlmviz-projector",
        "names": "\n".join(names),
        "kind": kind,
        "box": [round(value, 5) for value in plane.box],
        "groups": [{"name": group.name, "light": group.light, "dark": group.dark} for group in groups],
        "large": large,
        "film": None if film is None else {"at": list(film.at), "losses": list(film.losses)},
        "colors": figures.palette(),
    }
    arrays = {"places": plane.places, "groups": group_of.astype(np.uint8)}
    if near is not None:
        arrays |= {"near": near[0].astype(np.uint16), "cosines": near[1].astype(np.float32)}
    return pack(header, arrays)


def projector(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the points; the browser sends {"space", "word", "camera", "frame", "seq"} as `place` when it rests."""
    _points(key=key, data=data, on_place_change=on_change)


def mark(marks: Mapping[str, Any], *, key: str) -> None:
    """Tell the picture what is chosen, as types.d.ts describes it."""
    _marks(key=key, data=dict(marks), height=1)
