"""Colours of the two themes, and the palette of heads, which both share.

Every scale is safe for the common kinds of colour blindness and ordered in lightness. The dark
variants start at the dark background, so that zero is always the colour of the page.

What a colour means, on every page:

    sequential    shares from zero: attention, probability, cosine of what cannot be negative
    diverging     signed numbers, zero in the middle: blue above it, orange below
    places        a token's place in its text, from the first to the last
    costs         a change of the loss: orange is worse (above zero), blue is better; `worse` and `better` are its ends
    accent        the model as it is, or the first series; a positive part
    warm          what is chosen, new or now; a limit such as the training length; a negative part
    alarm         NaN, infinity, a limit that is broken
    HEADS         heads, and series that must be told apart where no heads are shown
    QUERY, KEY    the two vectors of one score, where both are drawn
    GROUPS        heads that share keys and values, where orange is what the cache holds
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HEADS = ("#1f77b4", "#e08a00", "#159a74", "#c2529b", "#d1490c", "#4db0e6", "#7a66d6", "#a38b00")

QUERY, KEY = HEADS[2], HEADS[3]
GROUPS = tuple(color for color in HEADS if color not in ("#e08a00", "#d1490c"))


@dataclass(frozen=True)
class Theme:
    """The colours a figure is drawn in, as #rrggbb."""

    name: str  # "light" or "dark"
    page: str  # the background
    ink: str  # text and lines that matter
    muted: str  # axis labels and what is in the background
    grid: str
    missing: str  # cells that hold no value
    accent: str  # the first series
    warm: str  # the second series, and frames around a choice
    alarm: str  # NaN, infinity and failed limits
    sequential: tuple[str, ...]  # from zero, the colour of the page, upwards
    diverging: tuple[str, ...]  # zero in the middle
    places: tuple[str, ...]  # from the first to the last, each apart from the page

    @property
    def costs(self) -> tuple[str, ...]:
        """The diverging scale for changes of the loss: orange above zero, where they are worse."""
        return self.diverging[::-1]

    @property
    def worse(self) -> str:
        """A change that raises the loss."""
        return self.warm

    @property
    def better(self) -> str:
        """A change that lowers the loss."""
        return self.accent

    def veil(self, opacity: float) -> str:
        """The page's colour, translucent: laid over what is not yet computed."""
        return faded(self.page, opacity)


LIGHT = Theme(
    name="light",
    page="#ffffff",
    ink="#1b2430",
    muted="#66717f",
    grid="#e4e8ee",
    missing="#eef0f3",
    accent="#1f5fa8",
    warm="#cf6a1b",
    alarm="#b3261e",
    sequential=("#ffffff", "#dde9f5", "#b3d0ea", "#7bafda", "#3f88c2", "#1d62a3", "#0d3f78", "#06214a"),
    diverging=(*("#8a3c00", "#cf6a1b", "#f0a868", "#fadcc0"), "#ffffff", *("#cfdff0", "#86b0d9", "#3f7ab5", "#12427a")),
    places=("#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6dbf3a", "#b5b800"),
)
DARK = Theme(
    name="dark",
    page="#10151d",
    ink="#e6ebf2",
    muted="#98a4b3",
    grid="#2a3441",
    missing="#1c232d",
    accent="#6db3f2",
    warm="#f2a562",
    alarm="#ff8f85",
    sequential=("#10151d", "#14273d", "#17406b", "#1e639b", "#3b8bc4", "#72b3de", "#b0d8f0", "#f2faff"),
    diverging=(*("#ffd9b0", "#f2a562", "#c46f28", "#6d3d18"), "#10151d", *("#1b3a5c", "#3672ab", "#79b2e0", "#cfe8fb")),
    places=("#8d6cd1", "#6a7fd0", "#4c94c4", "#33a6a8", "#2fb58c", "#5cc863", "#9bd93c", "#e2e418"),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def palette() -> dict[str, Any]:
    """All colours as JSON-ready lists, for the views that the browser draws on a canvas."""
    themes = {
        name: {
            "sequential": list(theme.sequential),
            "diverging": list(theme.diverging),
            "places": list(theme.places),
            "missing": theme.missing,
        }
        for name, theme in THEMES.items()
    }
    return {**themes, "heads": list(HEADS)}


def rgb(color: str) -> tuple[int, int, int]:
    """Red, green and blue of #rrggbb, 0 to 255."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


def faded(color: str, opacity: float) -> str:
    """#rrggbb as a translucent colour."""
    red, green, blue = rgb(color)
    return f"rgba({red},{green},{blue},{opacity:g})"


def scale(colors: tuple[str, ...]) -> list[list[float | str]]:
    """Evenly spaced stops as a Plotly colour scale."""
    return [[i / (len(colors) - 1), color] for i, color in enumerate(colors)]
