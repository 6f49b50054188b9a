"""A trained pointer network that draws convex hulls: what `tlmviz.load("pointer-hull")` returns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int

from ..config import PointerConfig
from ..errors import BadShape
from ..networks.pointer import PointerNetwork
from .base import Facade

MOST = 2000  # points: attention among all of them takes their square


@dataclass(frozen=True)
class Drawing:
    """A hull drawn point by point. `order` are the visited points' indices, in order.

    `attention` [len(order) + 1, N + 1] holds a row for each step, the last one's end included: the probability of going
    to each point, and to the end marker in the last column. Rows sum to 1 and are 0 on points visited before, and on
    those equal to an earlier point.
    """

    order: Int[np.ndarray, " k"]
    attention: Float[np.ndarray, "t s"] = field(repr=False)


class HullFinder(Facade[PointerNetwork, PointerConfig]):
    """A pointer network: told points, it points at the corners of their convex hull, one after another.

    It begins at the leftmost one and goes counterclockwise. Nothing checks what it draws; see
    `tlmviz.analysis.words.hulls`.
    """

    task: ClassVar[str] = "hull"
    default_text: ClassVar[str] = "0 0, 4 0, 5 3, 2 5, -1 3, 2 1, 3 2, 1 2, 2 3"

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        return (
            f"{self.n_parameters / 1e6:.2f} M parameters, trained on {self.config.least} to {self.config.most} points"
        )

    def hull(self, points: Any) -> Int[np.ndarray, " k"]:
        """Indices of the points that it visits, in order; see `draw`. Raises BadShape."""
        return self.draw(points).order

    @torch.inference_mode()
    def draw(self, points: Any) -> Drawing:
        """The hull of points [N, 2], 1 to 2,000 of them, always going where the probability is highest.

        Of equal points only the first is read. Fewer than three different points, points on one line, and numbers of
        points it was not trained on are read like any others. Raises BadShape for anything but finite coordinates.
        """
        given = checked(points)
        firsts = distinct(given)
        extent = np.abs(given).max()  # so that no difference overflows, whatever the coordinates
        shrunk = given[firsts] / extent if extent else given[firsts]
        low = shrunk.min(0)
        read = (shrunk - low) / np.maximum(shrunk.max(0) - low, np.finfo(np.float64).tiny)
        state = self.network.start(torch.from_numpy(read)[None].float())
        order: list[int] = []
        rows: list[np.ndarray] = []
        while True:
            pointer, state = self.network.step(state)
            rows.append(pointer[0].cpu().numpy())
            place = pointer.argmax(-1)
            if int(place) == len(firsts):
                break
            order.append(int(firsts[int(place)]))
            state = self.network.visit(state, place)
        attention = np.zeros((len(rows), len(given) + 1), np.float32)
        attention[:, [*firsts, len(given)]] = rows
        return Drawing(np.array(order, np.int64), attention)


def checked(points: Any) -> Float[np.ndarray, "n 2"]:
    """Points as float64 [N, 2]. Raises BadShape."""
    if isinstance(points, torch.Tensor):
        points = points.detach().cpu().numpy()
    try:
        array = np.asarray(points, np.float64)
    except (TypeError, ValueError) as error:
        raise BadShape(f"The points are no table of numbers ({error}); give [N, 2], a row x, y per point.") from error
    if array.ndim != 2 or array.shape[1] != 2:
        raise BadShape(f"The points have shape {list(array.shape)}; give [N, 2], a row x, y per point.")
    if not 1 <= len(array) <= MOST:
        raise BadShape(f"There are {len(array):,} points; give 1 to {MOST:,}.")
    broken = np.flatnonzero(~np.isfinite(array).all(1))
    if len(broken):
        raise BadShape(
            f"Point {broken[0]} is ({array[broken[0], 0]}, {array[broken[0], 1]}); every coordinate must be a finite "
            "number."
        )
    return array


def distinct(points: Float[np.ndarray, "n 2"]) -> Int[np.ndarray, " m"]:
    """Indices of the points that equal no earlier one."""
    return np.sort(np.unique(points, axis=0, return_index=True)[1])


def read_points(text: str) -> Float[np.ndarray, "n 2"]:
    """Points from a text "x y, x y, ..." (or one per line). Raises BadShape."""
    rows = [row.split() for row in re.split(r"[,;\n]", text) if row.strip()]
    for row in rows:
        if len(row) != 2:
            raise BadShape(f"{' '.join(row)[:80]!r} is no point; write points as 'x y, x y, ...'.")
    return checked(rows)
