"""How pictures are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tlmviz.errors import BadShot

THEMES = ("light", "dark", "grey")
SMALLEST, LARGEST = 50, 8000  # pixels of a picture's side
WINDOW = 1280, 900  # pixels of the browser's window, unless a width is asked for


@dataclass(frozen=True)
class Options:
    """Size, colours, and which picture of a page.

    `width` and `height` are pixels of the file (SVG and PDF: CSS pixels): pictures that follow the window's width are
    laid out for it, others scaled; with both the picture lies in the middle. `theme` "grey" is light without hues.
    `scale` is pixels of a PNG per pixel of the page. `picture` is the number of one on its page, from 1, or a part of
    its title; the one that stands for the page unless given.
    """

    width: int | None = None
    height: int | None = None
    theme: Literal["light", "dark", "grey"] = "light"
    scale: float = 2.0
    picture: int | str | None = None

    def __post_init__(self) -> None:
        """Raises BadShot for what no picture can have."""
        if self.theme not in THEMES:
            raise BadShot(f"There is no theme {self.theme!r}; choose light, dark or grey.")
        for name in ("width", "height"):
            size = getattr(self, name)
            if size is not None and not SMALLEST <= size <= LARGEST:
                raise BadShot(f"A {name} of {size} pixels was given; choose {SMALLEST} to {LARGEST}.")
        if not 0.1 <= self.scale <= 8:
            raise BadShot(f"A scale of {self.scale} was given; choose 0.1 to 8 pixels per pixel of the page.")
        if isinstance(self.picture, int) and self.picture < 1:
            raise BadShot(f"Picture {self.picture} was asked for; pictures of a page are counted from 1.")

    @property
    def window(self) -> tuple[int, int]:
        """Width and height of the browser's window."""
        return max(320, self.width or WINDOW[0]), WINDOW[1]
