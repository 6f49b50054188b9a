"""Parts that heatmaps share: the bar that explains their colours, and a scale that keeps small weights visible."""

from __future__ import annotations

from typing import Any

from .theme import Theme, scale


def colorbar(
    theme: Theme, *, thickness: int = 8, size: int = 10, nticks: int | None = 5, **more: Any
) -> dict[str, Any]:
    """A thin colour bar without an outline; `more` adds to it or replaces parts of it."""
    ticks = {} if nticks is None else {"nticks": nticks}
    return {
        "thickness": thickness,
        "outlinewidth": 0,
        "tickfont": {"size": size, "color": theme.muted},
        **ticks,
        **more,
    }


def rooted(colors: tuple[str, ...]) -> list[list[float | str]]:
    """A colour scale that goes with the square root of the value: small weights stay visible."""
    return [[float(stop) ** 2, color] for stop, color in scale(colors)]
