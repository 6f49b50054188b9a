"""Axes of a figure: tokens under their positions, few round ticks on a logarithmic one, short wavelengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .theme import Theme
from .tokens import token_labels
from .written import number

# Tokens that are named in the hover and at the side, and those that are named below a small map.
NAMED, NARROW = 40, 16


def ticks(where: np.ndarray, labels: tuple[str, ...], limit: int) -> dict[str, Any]:
    """Labels under their positions, thinned out when there are more than fit; Plotly's own ticks without labels."""
    named = [(int(at), label) for at, label in zip(where, labels) if label]
    if not named:
        return {"nticks": 12 if limit > 40 else 6}
    every = named[:: max(1, -(-len(named) // max(1, limit)))]
    return {"tickvals": [at for at, _ in every], "ticktext": token_labels([label for _, label in every], 10)}


def token_axis(labels: list[str], limit: int = 60) -> dict[str, Any]:
    """Axis settings that put token names under integer positions, thinned out when there are many."""
    every = np.arange(0, len(labels), max(1, -(-len(labels) // limit)))
    return {"tickvals": every, "ticktext": [labels[i] for i in every], "tickangle": -60, "showgrid": False}


def turn(tokens: float) -> str:
    """A wavelength in a few letters: 6.28, 628, 6.28k, 35.3k, 63M; beyond a thousand millions a power of ten."""
    for size, unit in ((1.0, ""), (1e3, "k"), (1e6, "M")):
        if tokens < 999.5 * size:
            return f"{tokens / size:.3g}{unit}"
    return number(tokens, ".0e")


@dataclass(frozen=True)
class Named:
    """Axes and hover of a map of tokens: names where they fit, positions where they do not."""

    x: dict[str, Any]
    y: dict[str, Any]
    hover: str  # the part of a template that names query and key
    pairs: list[list[str]] | None
    step: float = 1.0  # tokens in a bin
    first: float = 0.0  # where the first bin's middle is, in tokens

    @property
    def span(self) -> dict[str, float]:
        """Where a heatmap's cells lie along either axis."""
        return {"x0": self.first, "dx": self.step, "y0": self.first, "dy": self.step}


def named_axes(tokens: list[str], bins: int, theme: Theme) -> Named:
    """Labels of a map of `bins` rows and columns; pooled maps have fewer bins than tokens, and no names.

    Ticks of a pooled map count tokens, not bins.
    """
    quiet = {"tickfont": {"size": 8.5, "color": theme.muted}, "automargin": True, "nticks": 6}
    if len(tokens) != bins:
        step = len(tokens) / bins
        return Named(quiet, quiet, "bin about query %{y:.0f}, key %{x:.0f}", None, step, (step - 1) / 2)
    if bins > NAMED:
        return Named(quiet, quiet, "query %{y}, key %{x}", None)
    labels = token_labels(tokens, 10)
    names = {**quiet, "tickvals": np.arange(bins), "ticktext": labels}
    pairs = [[f"{q} “{query}”, key {k} “{key}”" for k, key in enumerate(labels)] for q, query in enumerate(labels)]
    return Named({**names, "tickangle": -90} if bins <= NARROW else quiet, names, "query %{customdata}", pairs)


def log_ticks(*values: np.ndarray) -> dict[str, Any]:
    """Ticks of a logarithmic axis over these values: 1, 2, 5 or powers of ten, two to six of them; {} leaves it to
    Plotly."""
    seen = np.concatenate([value[np.isfinite(value) & (value > 0)] for value in map(np.ravel, values)])
    if not len(seen):
        return {}
    low, high = np.log10(seen.min()), np.log10(seen.max())
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    for places in (
        [(k, m) for k in powers for m in (1, 2, 5)],
        *([(k, 1) for k in powers if k % s == 0] for s in (1, 2, 4, 8)),
    ):
        inside = [(k, m) for k, m in places if low - 0.1 <= k + np.log10(m) <= high + 0.1]
        if 2 <= len(inside) <= 6:
            text = [tick_text(m * 10.0**k) if m == 1 or -3 <= k < 4 else "" for k, m in inside]
            return {"tickmode": "array", "tickvals": [m * 10.0**k for k, m in inside], "ticktext": text}
    return {}


def tick_text(value: float) -> str:
    """A positive number under a logarithmic axis: 0.05, 2, 500; beyond four digits a power of ten."""
    if 0.001 <= value < 10_000:
        return f"{value:.2g}" if value < 10 else f"{value:.0f}"
    return f"10<sup>{np.log10(value):.0f}</sup>"
