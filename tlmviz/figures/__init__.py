"""Pictures: pure functions from NumPy arrays to Plotly figures, and the colours all of them share.

Every scale is safe for the common kinds of colour blindness and ordered in lightness. The dark
variants start at the dark background, so that zero is always the colour of the page.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

SEQUENTIAL = {
    "light": ("#ffffff", "#dde9f5", "#b3d0ea", "#7bafda", "#3f88c2", "#1d62a3", "#0d3f78", "#06214a"),
    "dark": ("#10151d", "#14273d", "#17406b", "#1e639b", "#3b8bc4", "#72b3de", "#b0d8f0", "#f2faff"),
}
DIVERGING = {
    "light": (
        "#8a3c00",
        "#cf6a1b",
        "#f0a868",
        "#fadcc0",
        "#ffffff",
        "#cfdff0",
        "#86b0d9",
        "#3f7ab5",
        "#12427a",
    ),
    "dark": (
        "#ffd9b0",
        "#f2a562",
        "#c46f28",
        "#6d3d18",
        "#10151d",
        "#1b3a5c",
        "#3672ab",
        "#79b2e0",
        "#cfe8fb",
    ),
}
HEADS = ("#1f77b4", "#e08a00", "#159a74", "#c2529b", "#d1490c", "#4db0e6", "#7a66d6", "#a38b00")
INK = {"light": "#1b2430", "dark": "#e6ebf2"}
MUTED = {"light": "#66717f", "dark": "#98a4b3"}
GRID = {"light": "#e4e8ee", "dark": "#2a3441"}
MISSING = {"light": "#eef0f3", "dark": "#1c232d"}
ACCENT = {"light": "#1f5fa8", "dark": "#6db3f2"}
WARM = {"light": "#cf6a1b", "dark": "#f2a562"}


def palette() -> dict:
    """All colours as JSON-ready lists, for the attention view."""
    themes = {
        theme: {
            "sequential": list(SEQUENTIAL[theme]),
            "diverging": list(DIVERGING[theme]),
            "missing": MISSING[theme],
        }
        for theme in ("light", "dark")
    }
    return {**themes, "heads": list(HEADS)}


def scale(colors: tuple[str, ...]) -> list[list]:
    """Evenly spaced stops as a Plotly colour scale."""
    return [[i / (len(colors) - 1), color] for i, color in enumerate(colors)]


# Checking every property costs 2 ms a chart on each keystroke; the tests turn it on, so every figure is checked there.
VALIDATE = False


def figure(traces: list[dict[str, Any]], drawn: dict[str, Any]) -> go.Figure:
    """A figure of traces ({"type": "bar", ...}) and a `layout`, both plain dictionaries."""
    return go.Figure({"data": traces, "layout": drawn}, _validate=VALIDATE)


def layout(
    theme: str,
    *,
    title: str,
    x: str = "",
    y: str = "",
    height: int = 320,
    xaxis: dict | None = None,
    yaxis: dict | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The house style as a layout dictionary: theme colours, quiet grid, a title with units, axis names.

    `xaxis` and `yaxis` add to the axes, `more` to the layout. Build a figure from traces and one
    such dictionary with `figure`: every later `update_*` validates everything again.
    """
    ink, muted, grid = INK[theme], MUTED[theme], GRID[theme]
    axis = {
        "gridcolor": grid,
        "zerolinecolor": grid,
        "linecolor": grid,
        "automargin": True,
        "tickfont": {"size": 11, "color": muted},
    }
    return {
        "template": {},
        "title": {
            "text": title,
            "font": {"size": 13, "color": ink},
            "x": 0,
            "xanchor": "left",
            "y": 0.98,
            "yanchor": "top",
        },
        "font": {"color": ink, "size": 12, "family": "Inter, 'Segoe UI', system-ui, sans-serif"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 34, "b": 8},
        "xaxis": {"title": {"text": x, "font": {"size": 12}}, **axis, **(xaxis or {})},
        "yaxis": {"title": {"text": y, "font": {"size": 12}}, **axis, **(yaxis or {})},
        "hoverlabel": {"font": {"size": 12}},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 1, "xanchor": "right"},
        "colorway": list(HEADS),
        "showlegend": False,
        **more,
    }


# Margins that fit, for charts redrawn on every keystroke: measuring their labels costs Plotly a third of its time.
FIXED = {"automargin": False}


def token_label(token: str, limit: int = 14) -> str:
    """One token as axis text: spaces and newlines visible, long ones cut, and no markup Plotly would parse."""
    text = token.replace("<|endoftext|>", "⟨start⟩").replace("\n", "⏎").replace("\t", "⇥")
    text = "".join(char if char.isprintable() else "�" for char in text)
    text = "·" * len(text) if text and not text.strip() else text.strip()
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
