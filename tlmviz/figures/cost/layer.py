"""Pictures of the page One layer's bill: parameters as nested areas, losses without a part, activations and expansion
ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme, faded

FFN, ATTENTION = HEADS[2], HEADS[0]
PARTS = {
    "feed-forward": FFN,
    "attention": ATTENTION,
    "embedding": HEADS[6],
    "head": HEADS[3],
    "positions": HEADS[7],
    "norms": HEADS[1],
    "connections": HEADS[5],
}
BINS = 80
LEGEND = {"orientation": "h", "y": -0.22, "x": 0}
Leaf = tuple[tuple[str, ...], int, str]  # path from the outside in, count, part


def treemap(leaves: Sequence[Leaf], root: str, theme: Theme, *, title: str) -> go.Figure:
    """Nested areas as large as the counts beneath them; parts have their colours, groups of several parts none."""
    counts: dict[tuple[str, ...], int] = {(): 0}
    parts: dict[tuple[str, ...], set[str]] = {(): set()}
    for path, count, part in leaves:
        for depth in range(len(path) + 1):
            counts[path[:depth]] = counts.get(path[:depth], 0) + count
            parts.setdefault(path[:depth], set()).add(part)
    nodes = list(counts)
    colors = [PARTS[next(iter(parts[node]))] if len(parts[node]) == 1 else theme.missing for node in nodes]
    outer = {"/".join((root, *node[:-1])) for node in nodes if node}
    ids = ["/".join((root, *node)) for node in nodes]
    named = [f"{node[-1] if node else root} · {counts[node] / counts[()]:.1%}" for node in nodes]
    # A tensor's name stands in a column of its words: in one line it would be made as small as its area is narrow.
    written = [
        name if at in outer else name.replace(" · ", "<br>").replace(" ", "<br>") for at, name in zip(ids, named)
    ]
    trace = {
        "type": "treemap",
        "ids": ids,
        "labels": named,
        "text": written,
        "parents": ["/".join((root, *node[:-1])) if node else "" for node in nodes],
        "values": np.array([counts[node] for node in nodes], np.float64),
        "branchvalues": "total",
        "marker": {"colors": colors, "line": {"width": 1, "color": theme.page}},
        "texttemplate": "%{text}",  # that of a group shows nothing but its label
        "hovertemplate": "%{label} of all: %{value:,} parameters<extra></extra>",
        "tiling": {"pad": 1},
        "pathbar": {"visible": True},
        "maxdepth": 4,
    }
    return figure([trace], layout(theme, title=title, height=430, margin={"l": 0, "r": 0, "t": 34, "b": 0}))


def removal(
    layers: Sequence[int], losses: Mapping[str, tuple[np.ndarray, float]], base: float, theme: Theme, *, title: str
) -> go.Figure:
    """Losses [L] without a part in one layer, and without it in all, by part; dashed the loss as it is."""
    names = [*(f"{layer}" for layer in layers), "all"]
    traces = [
        {
            "type": "bar",
            "x": names,
            "y": np.append(each, total).astype(np.float32),
            "name": f"without {part}",
            "marker": {"color": color},
            "hovertemplate": f"without {part}, layer %{{x}}: %{{y:.3f}}<extra></extra>",
        }
        for (part, (each, total)), color in zip(losses.items(), (FFN, ATTENTION))
    ]
    line = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": base,
        "y1": base,
        "line": {"color": theme.ink, "width": 1.5, "dash": "dash"},
    }
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="layer",
            y="bits per byte",
            height=340,
            barmode="group",
            shapes=[line],
            showlegend=True,
            legend=LEGEND,
            xaxis={"type": "category", "fixedrange": True},
            yaxis={"rangemode": "tozero", "fixedrange": True},
        ),
    )


def slopes(
    x: np.ndarray, curves: Mapping[str, tuple[np.ndarray, np.ndarray]], own: str, theme: Theme, *, title: str
) -> go.Figure:
    """How often each x [n] enters an activation, as a histogram, and the slopes of several over it: name -> (x,
    slope)."""
    low, high = next((float(at[0]), float(at[-1])) for at, _ in curves.values())
    counts, edges = np.histogram(np.clip(x, low, high), BINS, (low, high))
    bars = {
        "type": "bar",
        "x": ((edges[1:] + edges[:-1]) / 2).astype(np.float32),
        "y": (100 * counts / max(1, counts.sum())).astype(np.float32),
        "width": float(edges[1] - edges[0]),
        "marker": {"color": faded(theme.muted, 0.45)},
        "name": "x on this text",
        "yaxis": "y2",
        "hovertemplate": "x near %{x:.2f}: %{y:.2f} %<extra></extra>",
    }
    lines = [
        {
            "type": "scatter",
            "x": at.astype(np.float32),
            "y": values.astype(np.float32),
            "mode": "lines",
            "line": {"color": color, "width": 3.5 if name == own else 2, "dash": "solid" if name == own else "dot"},
            "name": f"{name}{' (the model)' if name == own else ''}",
            "hovertemplate": f"{name}: slope %{{y:.3f}} at x = %{{x:.2f}}<extra></extra>",
        }
        for (name, (at, values)), color in zip(curves.items(), (HEADS[4], HEADS[0], HEADS[2], HEADS[3]))
    ]
    return figure(
        [bars, *lines],
        layout(
            theme,
            title=title,
            x="x, what enters the activation",
            y="slope",
            height=340,
            showlegend=True,
            legend=LEGEND,
            bargap=0,
            xaxis={"fixedrange": True, "range": [low, high]},
            yaxis={"fixedrange": True, "range": [-0.22, 1.22], "zeroline": True},
            yaxis2={"overlaying": "y", "side": "right", "visible": False, "fixedrange": True},
        ),
    )


def activity(above: np.ndarray, theme: Theme, *, title: str) -> go.Figure:
    """The share of tokens [F] at which each unit is above zero, sorted; those at zero are what ReLU would kill."""
    ordered = 100 * np.sort(above)[::-1]
    trace = {
        "type": "scatter",
        "x": np.arange(1, len(ordered) + 1, dtype=np.int32),
        "y": ordered.astype(np.float32),
        "mode": "lines",
        "fill": "tozeroy",
        "fillcolor": faded(FFN, 0.2),
        "line": {"color": FFN, "width": 2, "shape": "hv"},
        "hovertemplate": "unit %{x} from the top: above zero on %{y:.1f}% of the tokens<extra></extra>",
    }
    dead = int((above == 0).sum())
    shapes = (
        []
        if not dead
        else [
            {
                "type": "rect",
                "xref": "x",
                "yref": "paper",
                "x0": len(above) - dead + 0.5,
                "x1": len(above) + 0.5,
                "y0": 0,
                "y1": 1,
                "fillcolor": faded(theme.alarm, 0.18),
                "line": {"width": 0},
            }
        ]
    )
    return figure(
        [trace],
        layout(
            theme,
            title=title,
            x="units, most active first",
            y="tokens with x > 0 (%)",
            height=320,
            shapes=shapes,
            xaxis={"fixedrange": True, "range": [0.5, len(above) + 0.5]},
            yaxis={"fixedrange": True, "range": [0, 100]},
        ),
    )


def ratios(points: Sequence[tuple[str, float, float, bool]], own: str, theme: Theme, *, title: str) -> go.Figure:
    """The feed-forward part's share of a layer against F / d: curves for two matrices and for three, beside an
    attention of four matrices d x d, and layers as points (name, F / d, share, whether there is a gate).
    """
    r = np.geomspace(0.5, 10, 80)
    curves = [
        {
            "type": "scatter",
            "x": r.astype(np.float32),
            "y": (100 * m * r / (4 + m * r)).astype(np.float32),
            "mode": "lines",
            "line": {"color": color, "width": 2},
            "name": name,
            "hovertemplate": f"{name}: %{{y:.1f}}% at F = %{{x:.2f}} d<extra></extra>",
        }
        for m, name, color in ((2, "two matrices", HEADS[0]), (3, "three (with a gate)", HEADS[2]))
    ]
    dots = {
        "type": "scatter",
        "x": np.array([x for _, x, _, _ in points], np.float32),
        "y": np.array([100 * y for _, _, y, _ in points], np.float32),
        "text": [name for name, _, _, _ in points],
        "mode": "markers",
        "marker": {
            "size": [14 if name == own else 9 for name, _, _, _ in points],
            "symbol": ["star" if name == own else "circle" for name, _, _, _ in points],
            "color": [HEADS[2] if gated else HEADS[0] for _, _, _, gated in points],
            "line": {"width": 1, "color": theme.ink},
        },
        "name": "real layers",
        "hovertemplate": "%{text}: F = %{x:.2f} d, %{y:.1f} %<extra></extra>",
    }
    return figure(
        [*curves, dots],
        layout(
            theme,
            title=title,
            x="expansion ratio F / d",
            y="share of the layer (%)",
            height=320,
            showlegend=True,
            legend=LEGEND,
            hovermode="closest",
            xaxis={"type": "log", "fixedrange": True, "tickvals": [0.5, 1, 2, 4, 8]},
            yaxis={"fixedrange": True, "range": [0, 100]},
        ),
    )
