"""Who looked at what: target tokens by source tokens, what each source token got in sum, and what that costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, frame, layout, note, rooted, token_label, token_labels

PLAIN = {"showgrid": False, "zeroline": False, "fixedrange": True, "automargin": False}
SHARES = {"map": (0.48, 1.0), "covered": (0.2, 0.3), "penalty": (0.0, 0.13)}  # of the figure's height
ROWS, COLUMNS = 28, 36  # tokens that are still named along an axis


def coverage_map(
    attention: np.ndarray,
    source: list[str],
    target: list[str],
    shares: np.ndarray,
    least: float,
    theme: Theme,
    *,
    title: str,
    pins: tuple[tuple[int, int], ...] = (),
    clickable: bool = False,
    height: int = 540,
) -> go.Figure:
    """Attention [T, S] above its column sums, capped at 1, and `shares` [S]: each source token's part of cp in nats.

    `least` is the share of a token that nobody looked at. `pins` are framed cells (step, source token). A click on a
    cell of a `clickable` map selects it: heatmaps have no points of their own, so invisible ones lie over it.
    """
    a = np.asarray(attention, np.float32)
    covered = a.sum(0)
    names = token_labels(source, 18)
    cells = _weights(a, names, target, theme)
    traces = [cells, *_bars(covered, shares, names, theme)]
    if clickable:
        # What is hovered is what a click means, so the points speak in place of the cells.
        cells |= {"hoverinfo": "skip", "hovertemplate": None}
        traces.append(_clickable_points(a, names, target))
    shapes = [frame((j - 0.5, j + 0.5), (t - 0.5, t + 0.5), theme.warm, 3) for t, j in pins]
    shapes += _caps(least, theme)
    return figure(
        traces,
        layout(
            theme,
            title=title,
            height=height,
            margin={"l": 92, "r": 8, "t": 34, "b": 10},
            shapes=shapes,
            barmode="stack",
            annotations=[
                _note("coverage Σᵢ aᵢⱼ, capped at 1", SHARES["covered"][1], theme),
                _note(
                    f"penalty {_signed(np.sum(shares))} nats (floor: {_signed(least)} a token)",
                    SHARES["penalty"][1],
                    theme,
                ),
            ],
            **_coverage_axes(covered, shares, least, source, target, theme),
            hovermode="closest",
            clickmode="event+select",
            dragmode=False,
        ),
    )


def _bars(covered: np.ndarray, shares: np.ndarray, names: list[str], theme: Theme) -> list[dict[str, Any]]:
    """Each source token's coverage up to the cap, what lies above it, and its part of the penalty."""
    bars = {"type": "bar", "x": np.arange(len(names)), "xaxis": "x", "yaxis": "y2", "customdata": names, "width": 0.86}
    return [
        {
            **bars,
            "y": np.minimum(covered, 1),
            "marker": {"color": theme.accent},
            "text": [f"{c:.4f}" for c in covered],
            "textposition": "none",
            "hovertemplate": "“%{customdata}” got %{text} in sum<extra></extra>",
        },
        {
            **bars,
            "y": np.maximum(covered - 1, 0),
            "marker": {"color": theme.accent, "opacity": 0.3},
            "hovertemplate": "“%{customdata}”: %{y:.4f} above the cap, which earns nothing<extra></extra>",
        },
        {
            **bars,
            "y": np.asarray(shares, np.float32),
            "yaxis": "y3",
            "marker": {"color": theme.warm},
            "text": [f"{share / (np.sum(shares) or 1):.0%}" for share in shares],
            "textposition": "none",
            "hovertemplate": "“%{customdata}” costs %{y:.5f} nats, %{text} of the penalty<extra></extra>",
        },
    ]


def _weights(a: np.ndarray, names: list[str], target: list[str], theme: Theme) -> dict[str, Any]:
    """The map itself; the weights of a small one are written into its cells."""
    cells = {
        "type": "heatmap",
        "z": a,
        "zmin": 0,
        "zmax": 1,
        "colorscale": rooted(theme.sequential),  # small weights stay visible
        "customdata": np.array([[[written, name] for name in names] for written in token_labels(target)]),
        "hovertemplate": "“%{customdata[0]}” looks at “%{customdata[1]}”: %{z:.5f}<extra></extra>",
        "xgap": 1,
        "ygap": 1,
        "colorbar": colorbar(theme, len=0.52, y=1.0, yanchor="top", xpad=2, ypad=0),
    }
    if a.size <= 49:
        cells |= {"texttemplate": "%{z:.2f}", "textfont": {"size": 11}}
    return cells


def _coverage_axes(
    covered: np.ndarray, shares: np.ndarray, least: float, source: list[str], target: list[str], theme: Theme
) -> dict[str, Any]:
    """The axes of the map and of the two panels below it, which share its columns."""
    return dict(
        xaxis={**PLAIN, **_tokens(source, -45, 10, COLUMNS), "range": [-0.5, len(source) - 0.5], "anchor": "y"},
        yaxis={
            **PLAIN,
            **_tokens(target, 0, 12, ROWS),
            "range": [len(target) - 0.5, -0.5],
            "domain": list(SHARES["map"]),
        },
        yaxis2=_panel(theme, "covered", [0, max(1.15, 1.08 * float(covered.max(initial=0)))]),
        yaxis3=_panel(theme, "penalty", [max(least, min(1.3 * float(np.min(shares)), 0.1 * least)) * 1.06 or -0.1, 0]),
    )


def _clickable_points(a: np.ndarray, names: list[str], target: list[str]) -> dict[str, Any]:
    """An invisible point over every cell, whose customdata is (step, source token)."""
    steps, size = a.shape
    column, row = (index.ravel() for index in np.meshgrid(np.arange(size), np.arange(steps)))
    hover = [f"“{token_label(target[t])}” looks at “{names[j]}”: {a[t, j]:.5f}" for t, j in zip(row, column)]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": column.astype(np.float32),
        "y": row.astype(np.float32),
        "text": hover,
        "marker": {"symbol": "square", "size": 14, "color": "rgba(0,0,0,0)"},
        "hovertemplate": "%{text}<extra></extra>",
        # A typed array would come back from a click as a dictionary.
        "customdata": np.stack((row, column), 1).tolist(),
    }


def _caps(least: float, theme: Theme) -> list[dict[str, Any]]:
    """Dotted rules: where coverage stops counting, and the penalty of a token that nobody looked at."""
    cap = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "line": {"color": theme.ink, "width": 1, "dash": "dot"}}
    return [{**cap, "y0": 1, "y1": 1, "yref": "y2"}, {**cap, "y0": least, "y1": least, "yref": "y3"}]


def head_errors(names: list[str], rates: np.ndarray, chosen: str, theme: Theme, height: int = 250) -> go.Figure:
    """Alignment error rate of every map, [A], in the given order; the one that counts by default has its own colour."""
    where = np.arange(len(names))
    called = [name if "." not in name else "L{}H{}".format(*name.split(".")) for name in names]
    bars = {
        "type": "bar",
        "x": where,
        "y": np.asarray(rates, np.float32),
        "customdata": called,
        "marker": {"color": [theme.warm if name == chosen else theme.accent for name in names]},
        "hovertemplate": "%{customdata}: %{y:.4f} of the links are wrong or missing<extra></extra>",
        "text": [f"{rate:.2f}" for rate in rates],
        "textposition": "outside",
        "textfont": {"size": 10, "color": theme.muted},
        "cliponaxis": False,
    }
    return figure(
        [bars],
        layout(
            theme,
            title="Alignment error rate against hand-made alignments (lower is better)",
            x="map",
            height=height,
            xaxis={"tickvals": where, "ticktext": called, "showgrid": False, "zeroline": False, "fixedrange": True},
            yaxis={"rangemode": "tozero", "nticks": 5, "fixedrange": True, "title": {"text": "error rate"}},
            margin={"l": 8, "r": 8, "t": 44, "b": 8},
        ),
    )


def overlap_lines(
    losses: dict[str, np.ndarray], tokens: dict[str, list[str]], theme: Theme, height: int = 250
) -> go.Figure:
    """covloss_t [T] of several translations of one sentence, a line each, over the steps."""
    colors = (theme.muted, theme.warm)
    lines = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": np.arange(1, 1 + len(values)),
            "y": np.asarray(values, np.float32),
            "name": name,
            "line": {"color": color, "width": 2},
            "customdata": token_labels(tokens[name]),
            "hovertemplate": "step %{x}, “%{customdata}”: covloss %{y:.4f}<extra>" + name + "</extra>",
        }
        for (name, values), color in zip(losses.items(), colors)
    ]
    return figure(
        lines,
        layout(
            theme,
            title="covloss, sum form (0: looks at new tokens, 1: only where it looked before)",
            x="step t",
            y="covloss",
            height=height,
            yaxis={"range": [-0.03, 1.05], "fixedrange": True},
            xaxis={"fixedrange": True},
            showlegend=True,
            margin={"l": 8, "r": 8, "t": 34, "b": 60},
            legend={"orientation": "h", "x": 0, "y": -0.3, "yanchor": "top"},
        ),
    )


def _tokens(names: list[str], angle: int, limit: int, room: int) -> dict[str, Any]:
    """Names along an axis; of many tokens, those that have room."""
    step = -(-len(names) // room)
    return {
        "tickvals": np.arange(0, len(names), step),
        "ticktext": token_labels(names[::step], limit),
        "tickangle": angle,
        "tickfont": {"size": 11 if len(names) <= 20 else 9},
    }


def _signed(value: float) -> str:
    return f"{value + 0.0:.3f}".replace("-", "−")


def _panel(theme: Theme, name: str, span: list[float]) -> dict[str, Any]:
    return {
        "domain": list(SHARES[name]),
        "range": span,
        "nticks": 3,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": True,
        "zerolinecolor": theme.grid,
        "tickfont": {"size": 9, "color": theme.muted},
        "anchor": "x",
    }


def _note(text: str, top: float, theme: Theme) -> dict[str, Any]:
    return note(text, 0, top, theme.muted)
