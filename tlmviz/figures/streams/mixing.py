"""Streams through depth: their lengths and angles, what sublayers read of them and wrote to them, and losses without
one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Layer, Theme, colorbar, figure, layout, note, scale, token_labels, walked
from tlmviz.figures.predictions import losses_before_after

if TYPE_CHECKING:
    from tlmviz.analysis.streams.vectors import Journey

LETTERED = 16  # sublayers up to which every cell shows its number
WIDE_RANGE = 20.0  # largest over smallest length from which on the axis is logarithmic
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_LEFT, _RIGHT = (0.0, 0.47), (0.545, 1.0)
_LINES, _UPPER, _LOWER = (0.63, 1.0), (0.315, 0.475), (0.09, 0.25)


@dataclass(frozen=True)
class Table:
    """A heatmap of one field of a journey, and the axis it stands on."""

    field: str
    title: str
    axis: str
    unit: str
    signed: bool


TABLES = (
    Table("pre", "H_pre: weight of each stream in what is read", "x3", "weight", True),
    Table("share", "Share in what was read (sums to 1)", "x5", "share", True),
    Table("post", "H_post: weight of the output in each stream", "x4", "weight", True),
    Table("added", "Length of what was added", "x6", "length", False),
)


def through_depth(
    walk: Journey,
    pairs: Sequence[tuple[int, int]],
    parts: Sequence[str],
    tokens: Sequence[str],
    at: int,
    theme: Theme,
    *,
    offset: int = 0,
) -> go.Figure:
    """Four pictures that a slider walks over tokens; `at` is shown first, `offset` is the first token's number.

    Above: length of every stream and cosine of every two, [parts, T, N] and [parts, T, pairs]; `parts` name the places,
    the embedding first. Below, [P, T, N]: H_pre and each stream's share in what was read; H_post and the length of what
    was added.
    """
    layers = [
        *_lengths(walk, parts),
        *_cosines(walk, pairs, parts),
        *(_table(walk, table, parts, theme) for table in TABLES),
    ]
    drawn = _four(theme, walk, parts, [table.title for table in TABLES])
    if not pairs:
        text, x, y = "one stream: no pairs", sum(_RIGHT) / 2, sum(_LINES) / 2
        drawn["annotations"].append(note(text, x, y, theme.muted, 12, anchor=("auto", "auto")))
    if len(tokens) < 2:
        return figure([layer.at(at) for layer in layers], drawn)
    labels = [f"{offset + i} · {name}" for i, name in enumerate(token_labels(tokens))]
    options = {"prefix": "token ", "duration": 350, "stepping": True, "left": 0.2}
    return walked(layers, range(len(tokens)), labels, drawn, at, theme, **options)


def _lengths(walk: Journey, parts: Sequence[str]) -> list[Layer]:
    """The length of each stream behind each part."""
    return [
        _line(
            walk.norms[..., n],
            {
                "x": np.arange(len(parts)),
                "text": list(parts),
                "mode": "lines+markers",
                "name": f"stream {n}",
                "xaxis": "x",
                "yaxis": "y",
                "marker": {"size": 4},
                "line": {"color": HEADS[n % len(HEADS)], "width": 2},
                "hovertemplate": f"after %{{text}}: length %{{y:.4f}}<extra>stream {n}</extra>",
            },
        )
        for n in range(walk.norms.shape[2])
    ]


def _cosines(walk: Journey, pairs: Sequence[tuple[int, int]], parts: Sequence[str]) -> list[Layer]:
    """The cosine of every two streams behind each part."""
    return [
        _line(
            walk.cosines[..., i],
            {
                "x": np.arange(len(parts)),
                "text": list(parts),
                "mode": "lines",
                "name": f"{a}·{b}",
                "xaxis": "x2",
                "yaxis": "y2",
                "legend": "legend2",
                "line": {"color": HEADS[i % len(HEADS)], "width": 1.8, "dash": DASHES[i % len(DASHES)]},
                "hovertemplate": f"after %{{text}}: cosine %{{y:.4f}}<extra>streams {a} and {b}</extra>",
            },
        )
        for i, (a, b) in enumerate(pairs)
    ]


def _line(values: np.ndarray, static: dict[str, Any]) -> Layer:
    """A line through depth of one token's `values` [parts, T]."""
    return Layer(static, lambda token: {"type": "scatter", "y": np.ascontiguousarray(values[:, token], np.float32)})


def _table(walk: Journey, table: Table, parts: Sequence[str], theme: Theme) -> Layer:
    """One token's numbers of every sublayer and stream."""
    values = getattr(walk, table.field)
    seen = np.abs(values)
    limit = float(seen.max() if table.signed else np.quantile(seen, 0.99)) or 1.0
    static = {
        "x": np.arange(1, len(parts)),
        "y": np.arange(values.shape[2]),
        "zmin": -limit if table.signed else 0,
        "zmax": limit,
        "showscale": False,
        "colorscale": scale(theme.diverging if table.signed else theme.sequential),
        "xgap": 1,
        "ygap": 1,
        "xaxis": table.axis,
        "yaxis": table.axis.replace("x", "y"),
        "customdata": [list(parts[1:])] * values.shape[2],
        "texttemplate": "%{z:.2f}" if len(parts) - 1 <= LETTERED else "",
        "textfont": {"size": 8.5},
        "hovertemplate": f"%{{customdata}}, stream %{{y}}: {table.unit} %{{z:.5f}}<extra></extra>",
    }
    return Layer(static, lambda token: {"type": "heatmap", "z": np.ascontiguousarray(values[:, token].T, np.float32)})


def depth_bytes(parts: int, streams: int) -> int:
    """About how much one token's frame of `through_depth` takes."""
    lines = streams + streams * (streams - 1) // 2
    return (parts * lines + 4 * streams * parts) * 4 * 4 // 3 + 60 * lines + 1200


def losses(tokens: Sequence[str], before: np.ndarray, after: np.ndarray, theme: Theme, *, what: str) -> go.Figure:
    """Each token's loss in nats, [T - 1], in the pass as it is and with something muted, which `what` names."""
    return losses_before_after(tokens, {"all streams": before, what: after}, theme, height=300)


def muted_map(change: np.ndarray, chosen: tuple[int, int], parts: Sequence[str], theme: Theme) -> go.Figure:
    """Change of the mean loss, [N, places], with each stream at zero from each place on; `chosen` is framed."""
    change = np.asarray(change, np.float32)
    limit = float(np.abs(change).max()) or 1.0
    stream, place = chosen
    shown = np.unique(np.linspace(0, len(parts) - 1, min(len(parts), 17)).round().astype(int))
    grid = {
        "type": "heatmap",
        "z": change,
        "x": np.arange(len(parts)),
        "y": np.arange(len(change)),
        "zmin": -limit,
        "zmax": limit,
        "colorscale": scale(theme.costs),
        "xgap": 1,
        "ygap": 1,
        "customdata": [list(parts)] * len(change),
        "texttemplate": "%{z:+.2f}" if len(parts) <= LETTERED + 1 else "",
        "textfont": {"size": 9},
        "hovertemplate": "stream %{y} muted from %{customdata} on: %{z:+.4f} nats<extra></extra>",
        "colorbar": colorbar(theme, xpad=4),
    }
    frame = {
        "type": "rect",
        "x0": place - 0.5,
        "x1": place + 0.5,
        "y0": stream - 0.5,
        "y1": stream + 0.5,
        "line": {"color": theme.ink, "width": 2},
    }
    plain = {"showgrid": False, "zeroline": False}
    return figure(
        [grid],
        layout(
            theme,
            title="Change of the mean loss (nats per token) with one stream at zero from a place on",
            y="stream",
            height=150 + 24 * len(change),
            shapes=[frame],
            xaxis={**plain, "tickvals": shown, "ticktext": [parts[i] for i in shown], "tickangle": -60},
            yaxis={**plain, "dtick": 1, "range": [len(change) - 0.5, -0.5]},
        ),
    )


def _four(theme: Theme, walk: Journey, parts: Sequence[str], titles: list[str]) -> dict[str, Any]:
    """The layout of `through_depth`: two charts above, two tables in each column below."""
    count, streams = len(parts), walk.norms.shape[2]
    drawn = layout(
        theme, title="Streams of one token through depth", height=490, margin={"l": 44, "r": 8, "t": 50, "b": 64}
    )
    del drawn["xaxis"], drawn["yaxis"]
    tick = {"size": 9.5, "color": theme.muted}
    named = np.arange(1, count, 2 * max(1, -(-count // 36)))  # attention of some layers
    low, high = float(walk.norms.min()), float(walk.norms.max())
    log = high / max(low, 1e-9) > WIDE_RANGE
    least = float(walk.cosines.min(initial=1.0))
    room = max(0.01, 0.06 * (1 - least))
    grid = {"gridcolor": theme.grid, "zeroline": False, "tickfont": tick}
    bare = {"showgrid": False, "zeroline": False, "tickfont": tick}
    along = {**grid, "range": [-0.4, count - 0.6], "showticklabels": False, "tickvals": named}
    drawn |= {
        "xaxis": {**along, "domain": _LEFT, "anchor": "y"},
        "xaxis2": {**along, "domain": _RIGHT, "anchor": "y2"},
        "yaxis": {
            **grid,
            "domain": _LINES,
            "anchor": "x",
            "nticks": 6,
            **(
                {"type": "log", "range": [np.log10(max(low, high * 1e-6)) - 0.05, np.log10(high) + 0.05]}
                if log
                else {"range": [0, high * 1.06 or 1.0]}
            ),
        },
        "yaxis2": {**grid, "domain": _LINES, "anchor": "x2", "range": [least - room, 1 + room], "nticks": 5},
    }
    drawn |= _table_axes(parts, streams, named, bare)
    heads = [
        (f"Length of each stream after each sublayer (no unit{', log' if log else ''})", _LEFT, _LINES),
        ("Cosine of every two streams", _RIGHT, _LINES),
        ("layer (attention, then MLP)", _LEFT, (0, 0)),
        ("layer (attention, then MLP)", _RIGHT, (0, 0)),
    ]
    heads += list(zip(titles, (_LEFT, _LEFT, _RIGHT, _RIGHT), (_UPPER, _LOWER, _UPPER, _LOWER)))
    drawn["annotations"] = [note(text, x[0], y[1], theme.ink, 11.5) for text, x, y in heads]
    small = {
        "orientation": "h",
        "yanchor": "top",
        "y": _LINES[0],
        "xanchor": "left",
        "font": {"size": 10.5},
        "bgcolor": "rgba(0,0,0,0)",
    }
    return {**drawn, "showlegend": True, "legend": {**small, "x": _LEFT[0]}, "legend2": {**small, "x": _RIGHT[0]}}


def _table_axes(
    parts: Sequence[str], streams: int, named: np.ndarray, bare: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Axes of the four tables: sublayers along x, streams along y."""
    axes = {}
    for number, domain, place, labels in (
        (3, _LEFT, _UPPER, False),
        (5, _LEFT, _LOWER, True),
        (4, _RIGHT, _UPPER, False),
        (6, _RIGHT, _LOWER, True),
    ):
        axes[f"xaxis{number}"] = {
            **bare,
            "domain": domain,
            "anchor": f"y{number}",
            "range": [-0.4, len(parts) - 0.6],
            "showticklabels": labels,
            "tickvals": named,
            "ticktext": [parts[i].split()[-1] for i in named],
            "tickangle": 0,
        }
        axes[f"yaxis{number}"] = {
            **bare,
            "domain": place,
            "anchor": f"x{number}",
            "range": [streams - 0.5, -0.5],
            "dtick": 1,
        }
    return axes
