"""Physical pages as a picture: where each lies, and the colour of every slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tlmviz.figures import HEADS, Theme, rgb

if TYPE_CHECKING:
    from tlmviz.decoding.serving_records import Step

# The pages' part of the figure's width and height, and the size in pixels at which most people see the whole.
MEMORY, MIDDLE, PIXELS = (0.03, 0.5), (0.47, 0.8), (970, 480)
LABEL = 34  # pixels beside each page for its number
# Colours of a slot; a request adds its number to the last two.
FREE, CACHED, ALLOCATED, OCCUPIED = 1, 2, 3, 3 + len(HEADS)


@dataclass(frozen=True)
class Grid:
    """Where pages lie in the picture: rows and columns of pages, and the width of a page's label in slots."""

    page: int
    pages: int
    rows: int
    columns: int
    label: float

    @classmethod
    def fitting(cls, page: int, pages: int) -> Grid:
        """The arrangement whose slots come out largest."""
        width, height = (MEMORY[1] - MEMORY[0]) * PIXELS[0], (MIDDLE[1] - MIDDLE[0]) * PIXELS[1]

        def sizes(columns: int) -> tuple[float, float]:
            return (width / columns - LABEL) / page, height / -(-pages // columns)

        columns = max(range(1, min(pages, 12) + 1), key=lambda n: min(sizes(n)[0], 0.7 * sizes(n)[1]))
        slot = max(0.5, sizes(columns)[0])
        return cls(page, pages, -(-pages // columns), columns, LABEL / slot)

    @property
    def edges(self) -> np.ndarray:
        """Left edges of labels and slots, and the last right edge, [columns (page + 1) + 1]."""
        one = np.concatenate(([0.0], self.label + np.arange(self.page)))
        return np.append(np.concatenate([one + n * self.wide for n in range(self.columns)]), self.columns * self.wide)

    @property
    def tall(self) -> float:
        """Pixels from one row of pages to the next, at the usual size."""
        return (MIDDLE[1] - MIDDLE[0]) * PIXELS[1] / self.rows

    @property
    def wide(self) -> float:
        """Slots from one page to the page beside it."""
        return self.label + self.page

    def slots(self, step: Step) -> np.ndarray:
        """Every slot's colour in a step, [rows, columns (page + 1)]; a shared page has stripes of all its owners."""
        codes = np.zeros((self.rows * self.columns, self.page + 1), np.uint8)
        where = np.arange(self.page)
        for number, (owners, fill) in enumerate(zip(step.owners, step.fill)):
            states = {owner: step.snapshots[owner].state for owner in owners}
            running = np.array([owner for owner in owners if states[owner] != "finished"])
            if len(running):
                occupied = 0 if "padding" in states.values() else fill  # a request that has ended wastes all its slots
                stripes = running[where % len(running)] % len(HEADS)
                codes[number, 1:] = np.where(where < occupied, OCCUPIED, ALLOCATED) + stripes
            else:
                codes[number, 1:] = np.where(where < fill, CACHED, FREE) if owners else FREE
        return codes.reshape(self.rows, -1)

    def place(self, number: int) -> tuple[float, int]:
        """Left edge and row of a page."""
        return number % self.columns * self.wide, number // self.columns

    def cells(self) -> np.ndarray:
        """0 for each page, NaN where the last row has none, [rows, columns]."""
        return (
            np.where(np.arange(self.rows * self.columns) < self.pages, 0, np.nan)
            .reshape(self.rows, -1)
            .astype(np.float32)
        )

    def owners(self, step: Step, names: list[str]) -> list[list[str]]:
        """For the hover over each page: whose it is and how full."""
        cells = [
            f"{', '.join(names[i] for i in owners)}; {fill} of {self.page} slots" if owners else "free"
            for owners, fill in zip(step.owners, step.fill)
        ]
        cells += [""] * (self.rows * self.columns - len(cells))
        return [cells[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]

    def numbers(self, theme: Theme) -> dict[str, Any]:
        """Every page's number beside it, as a trace."""
        places = [self.place(number) for number in range(self.pages)]
        return {
            "type": "scatter",
            "mode": "text",
            "x": [x + 0.15 * self.label for x, _ in places],
            "y": [y for _, y in places],
            "text": [str(number) if self.tall > 8 else "" for number in range(self.pages)],
            "textposition": "middle right",
            "textfont": {"size": 10 if self.tall > 12 else 8, "color": theme.muted},
            "hoverinfo": "skip",
            "cliponaxis": False,
            "xaxis": "x2",
            "yaxis": "y2",
        }


def slot_colors(theme: Theme) -> list[str]:
    """By code: nothing, free, prefix cache, then each request's allocated and occupied slots."""
    pale = [mix(color, theme, 0.72) for color in HEADS]
    return ["rgba(0,0,0,0)", theme.missing, theme.muted, *pale, *HEADS]


def levels(colors: list[str]) -> list[list[float | str]]:
    """A scale of flat steps, one for each code."""
    count = len(colors)
    return [[edge / count, color] for n, color in enumerate(colors) for edge in (n, n + 1)]


def mix(color: str, theme: Theme, share: float) -> str:
    """A colour moved towards the page's by a share."""
    page = rgb(theme.page)
    own = rgb(color)
    return "#" + "".join(f"{round((1 - share) * a + share * b):02x}" for a, b in zip(own, page))
