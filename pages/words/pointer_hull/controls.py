"""The controls of the page "Pointer network": which points, moved by hand or scattered, and the step that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from tlmviz.analysis.words.hulls import SCATTERS, scattered
from tlmviz.ui import link

KEY = "hullview"
MOST, SHARED = 1000, 200  # points; and those of a link
UNIT = 1000  # coordinates are whole thousandths of the square
_SEQUENCE = f"{link.SLOT}hull_sequence"  # session: number of the picture's last message
_ORIGIN = f"{link.SLOT}hull_origin"  # session: the scatter that the points were moved from

Points = tuple[tuple[int, int], ...]


def _points(text: str) -> Points:
    """Points of a link in thousandths; raises ValueError."""
    points = link.pairs(text)
    if len(points) > MOST or any(not 0 <= value <= UNIT for point in points for value in point):
        raise ValueError(text[:80])
    return points


MOVED: link.Field[Points] = link.Field(
    "hpts", (), _points, lambda points: ",".join(f"{x}.{y}" for x, y in points)
)
STEP = link.Field("hstep", 0, link.whole(0, MOST + 1))  # from 1; 0 is the least certain one


@dataclass(frozen=True)
class Choice:
    """The points in thousandths of a square, whether they were moved by hand, where they came from, and the step shown
    (from 1; 0 is the least certain one)."""

    points: Points
    moved: bool
    origin: str
    step: int

    @property
    def array(self) -> Float[np.ndarray, "n 2"]:
        """The points in the unit square."""
        return np.array(self.points, np.float64).reshape(-1, 2) / UNIT

    @property
    def sequence(self) -> int:
        """Number of the last message of the picture."""
        return st.session_state.get(_SEQUENCE, 0)


def choose() -> Choice:
    """Draw the controls and return what they say."""
    kinds, number, again = st.columns([0.55, 0.25, 0.2], vertical_alignment="bottom")
    kind = kinds.segmented_control(
        "Points", list(SCATTERS), default="Square", key="hkind", bind="query-params", required=True
    )
    count = number.number_input("How many (trained on 5 to 50)", 1, MOST, 24, key="hn", bind="query-params")
    seed = again.number_input("Draw number", 0, 9999, 24, key="hseed", bind="query-params")
    origin = f"{kind} {count} {seed}"
    if st.session_state.setdefault(_ORIGIN, origin) != origin:  # what was moved is no longer there
        st.session_state[_ORIGIN] = origin
        MOVED.keep(())
    MOVED.share(hide=len(MOVED.get()) > SHARED)
    STEP.share()
    moved = MOVED.get()
    drawn = np.rint(scattered(str(kind), int(count), int(seed)) * UNIT).astype(int)
    points = moved or tuple((int(x), int(y)) for x, y in drawn)
    return Choice(points, bool(moved), origin, STEP.get())


def keep() -> None:
    """Callback of the picture: a point was moved, added or taken away, or another step is shown."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("hull")
    if not message or message["origin"] != st.session_state.get(_ORIGIN):
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    STEP.keep(int(message["step"]))
    if message["points"] is not None:
        inside = [(min(max(int(x), 0), UNIT), min(max(int(y), 0), UNIT)) for x, y in message["points"]]
        MOVED.keep(tuple(inside[:MOST]))
