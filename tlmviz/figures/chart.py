"""A figure from plain dictionaries, and the layout all figures share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tlmviz.extras import require

from .theme import HEADS, Theme, faded

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Checking every property costs 2 ms a chart on each keystroke; the tests turn it on, so every figure is checked there.
VALIDATE = False
# Margins that fit, for charts redrawn on every keystroke: measuring their labels costs Plotly a third of its time.
FIXED_MARGIN = {"automargin": False}
MANY = 20_000  # points that are drawn by WebGL, for which a page loads a script three times as large; fewer as SVG
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def figure(
    traces: list[dict[str, Any]], layout: dict[str, Any], frames: list[dict[str, Any]] | None = None
) -> go.Figure:
    """A figure of traces ({"type": "bar", ...}), a layout and the frames of an animation, all plain dictionaries.

    Raises MissingExtra where Plotly is not installed; colours and names of tokens, which all figures share, do without
    it.
    """
    require("plotly", "app", "A figure")
    import plotly.graph_objects as go

    made = go.Figure({"data": traces, "layout": layout}, _validate=VALIDATE)
    if frames is not None:
        # Plotly checks frames whatever a figure is told; those of an animation are most of it.
        made._frame_objs = tuple(go.Frame(frame, _validate=VALIDATE) for frame in frames)
    return made


def points_by(count: int) -> str:
    """The kind of trace that draws so many points."""
    return "scattergl" if count > MANY else "scatter"


def note(
    text: str, x: float, y: float, color: str, size: float = 11, *, anchor: tuple[str, str] = ("left", "bottom")
) -> dict[str, Any]:
    """An annotation without an arrow; `x` and `y` are shares of the figure, `anchor` the point of the text they
    name."""
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": anchor[0],
        "yanchor": anchor[1],
        "showarrow": False,
        "font": {"size": size, "color": color},
    }


def layout(
    theme: Theme,
    *,
    title: str,
    x: str = "",
    y: str = "",
    height: int = 320,
    xaxis: dict[str, Any] | None = None,
    yaxis: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The house style as a layout dictionary: theme colours, quiet grid, a title with units, axis names.

    `xaxis` and `yaxis` add to the axes, `more` to the layout. Build a figure from traces and one
    such dictionary with `figure`: every later `update_*` validates everything again.
    """
    axis = {
        "gridcolor": theme.grid,
        "zerolinecolor": theme.grid,
        "linecolor": theme.grid,
        "automargin": True,
        "tickfont": {"size": 11, "color": theme.muted},
    }
    return {
        "template": {},
        "title": {
            "text": title,
            "font": {"size": 13, "color": theme.ink},
            "x": 0,
            "xanchor": "left",
            "y": 0.98,
            "yanchor": "top",
        },
        "font": {"color": theme.ink, "size": 12, "family": "Inter, 'Segoe UI', system-ui, sans-serif"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 34, "b": 8},
        "xaxis": {"title": {"text": x, "font": {"size": 12}}, **axis, **(xaxis or {})},
        "yaxis": {"title": {"text": y, "font": {"size": 12}}, **axis, **(yaxis or {})},
        "hoverlabel": {"font": {"size": 12}},
        "dragmode": False,  # a stray drag zooms nothing; a figure to be zoomed or panned says so
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": faded(theme.muted, 0.7), "activecolor": theme.ink},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 1, "xanchor": "right"},
        "colorway": list(HEADS),
        "showlegend": False,
        **more,
    }
