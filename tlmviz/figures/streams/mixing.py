"""Streams through depth: their lengths and angles, what sublayers read of them and wrote to them, and losses without one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, animated, figure, layout, scale, token_axis, token_label

if TYPE_CHECKING:
    from tlmviz.analysis.streams.vectors import Journey

LETTERED = 16  # sublayers up to which every cell shows its number
WIDE_RANGE = 20.0  # largest over smallest length from which on the axis is logarithmic
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_LEFT, _RIGHT = (0.0, 0.47), (0.545, 1.0)
_LINES, _UPPER, _LOWER = (0.63, 1.0), (0.315, 0.475), (0.09, 0.25)


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

    Above: length of every stream and cosine of every two, [parts, T, N] and [parts, T, pairs]; `parts` name the places, the
    embedding first. Below, [P, T, N]: H_pre and each stream's share in what was read; H_post and the length of what was added.
    """
    count, streams = len(parts), walk.norms.shape[2]
    places, cells = np.arange(count), np.arange(1, count)
    tables = [
        ("pre", "H_pre: weight of each stream in what is read", "x3", "weight", True),
        ("share", "Share in what was read (sums to 1)", "x5", "share", True),
        ("post", "H_post: weight of the output in each stream", "x4", "weight", True),
        ("added", "Length of what was added", "x6", "length", False),
    ]

    def moving(token: int) -> list[dict]:
        lines = [*walk.norms[:, token].T, *walk.cosines[:, token].T]
        drawn = [{"type": "scatter", "y": np.ascontiguousarray(line, np.float32)} for line in lines]
        grids = [np.ascontiguousarray(getattr(walk, name)[:, token].T, np.float32) for name, *_ in tables]
        return drawn + [{"type": "heatmap", "z": grid} for grid in grids]

    fixed = [
        {
            "x": places,
            "text": list(parts),
            "mode": "lines+markers",
            "name": f"stream {n}",
            "xaxis": "x",
            "yaxis": "y",
            "marker": {"size": 4},
            "line": {"color": HEADS[n % len(HEADS)], "width": 2},
            "hovertemplate": f"behind %{{text}}: length %{{y:.4f}}<extra>stream {n}</extra>",
        }
        for n in range(streams)
    ]
    fixed += [
        {
            "x": places,
            "text": list(parts),
            "mode": "lines",
            "name": f"{a}·{b}",
            "xaxis": "x2",
            "yaxis": "y2",
            "legend": "legend2",
            "line": {"color": HEADS[i % len(HEADS)], "width": 1.8, "dash": DASHES[i % len(DASHES)]},
            "hovertemplate": f"behind %{{text}}: cosine %{{y:.4f}}<extra>streams {a} and {b}</extra>",
        }
        for i, (a, b) in enumerate(pairs)
    ]
    for name, _, axis, unit, signed in tables:
        seen = np.abs(getattr(walk, name))
        limit = float(seen.max() if signed else np.quantile(seen, 0.99)) or 1.0
        fixed.append(
            {
                "x": cells,
                "y": np.arange(streams),
                "zmin": -limit if signed else 0,
                "zmax": limit,
                "showscale": False,
                "colorscale": scale(theme.diverging if signed else theme.sequential),
                "xgap": 1,
                "ygap": 1,
                "xaxis": axis,
                "yaxis": axis.replace("x", "y"),
                "customdata": [list(parts[1:])] * streams,
                "texttemplate": "%{z:.2f}" if count - 1 <= LETTERED else "",
                "textfont": {"size": 8.5},
                "hovertemplate": f"%{{customdata}}, stream %{{y}}: {unit} %{{z:.5f}}<extra></extra>",
            }
        )
    traces = [{**now, **style} for now, style in zip(moving(at), fixed)]
    drawn = _four(theme, walk, parts, [title for _, title, *_ in tables])
    if not pairs:
        drawn["annotations"].append(
            {
                "text": "one stream: no pairs",
                "xref": "paper",
                "yref": "paper",
                "x": sum(_RIGHT) / 2,
                "y": sum(_LINES) / 2,
                "showarrow": False,
                "font": {"size": 12, "color": theme.muted},
            }
        )
    if len(tokens) < 2:
        return figure(traces, drawn)
    names = [f"{offset + i} {token_label(token)}" for i, token in enumerate(tokens)]
    return animated(
        traces,
        drawn,
        [moving(token) for token in range(len(tokens))],
        names,
        list(range(len(traces))),
        at,
        theme,
        prefix="token ",
        duration=350,
        stepping=True,
        left=0.2,
    )


def depth_bytes(parts: int, streams: int) -> int:
    """About how much one token's frame of `through_depth` takes."""
    lines = streams + streams * (streams - 1) // 2
    return (parts * lines + 4 * streams * parts) * 4 * 4 // 3 + 60 * lines + 1200


def losses(
    tokens: Sequence[str], before: np.ndarray, after: np.ndarray, theme: Theme, *, what: str
) -> go.Figure:
    """Each token's loss in nats, [T - 1], in the pass as it is and with something muted, which `what` names."""
    labels = [token_label(token) for token in tokens[1:]]
    bars = [
        {
            "type": "bar",
            "x": np.arange(len(labels)),
            "y": np.asarray(values, np.float32),
            "name": name,
            "customdata": labels,
            "marker": {"color": color},
            "hovertemplate": f"%{{customdata}}: %{{y:.4f}} nats<extra>{name}</extra>",
        }
        for name, values, color in (("all streams", before, theme.accent), (what, after, theme.warm))
    ]
    return figure(
        bars,
        layout(
            theme,
            title="Loss of each token (nats)",
            y="nats",
            height=300,
            xaxis=token_axis(labels),
            barmode="group",
            showlegend=True,
            bargap=0.25,
        ),
    )


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
        "colorscale": scale(theme.diverging[::-1]),
        "xgap": 1,
        "ygap": 1,
        "customdata": [list(parts)] * len(change),
        "texttemplate": "%{z:+.2f}" if len(parts) <= LETTERED + 1 else "",
        "textfont": {"size": 9},
        "hovertemplate": "stream %{y} muted from %{customdata} on: %{z:+.4f} nats<extra></extra>",
        "colorbar": {
            "thickness": 8,
            "outlinewidth": 0,
            "nticks": 5,
            "tickfont": {"size": 10, "color": theme.muted},
            "xpad": 4,
        },
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


def _four(theme: Theme, walk: Journey, parts: Sequence[str], titles: list[str]) -> dict:
    """The layout of `through_depth`: two charts above, two tables in each column below."""
    count, streams = len(parts), walk.norms.shape[2]
    drawn = layout(
        theme,
        title="Streams of one token through depth",
        height=490,
        margin={"l": 44, "r": 8, "t": 50, "b": 64},
    )
    del drawn["xaxis"], drawn["yaxis"]
    tick = {"size": 9.5, "color": theme.muted}
    named = np.arange(1, count, 2 * max(1, -(-count // 36)))  # attention of some layers
    low, high = float(walk.norms.min()), float(walk.norms.max())
    log = high / max(low, 1e-9) > WIDE_RANGE
    least = float(walk.cosines.min(initial=1.0))
    room = max(0.01, 0.06 * (1 - least))
    grid = {"gridcolor": layout(theme, title="")["xaxis"]["gridcolor"], "zeroline": False, "tickfont": tick}
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
    for number, domain, place, labels in (
        (3, _LEFT, _UPPER, False),
        (5, _LEFT, _LOWER, True),
        (4, _RIGHT, _UPPER, False),
        (6, _RIGHT, _LOWER, True),
    ):
        drawn[f"xaxis{number}"] = {
            **bare,
            "domain": domain,
            "anchor": f"y{number}",
            "range": [-0.4, count - 0.6],
            "showticklabels": labels,
            "tickvals": named,
            "ticktext": [parts[i].split()[-1] for i in named],
            "tickangle": 0,
        }
        drawn[f"yaxis{number}"] = {
            **bare,
            "domain": place,
            "anchor": f"x{number}",
            "range": [streams - 0.5, -0.5],
            "dtick": 1,
        }
    heads = [
        (f"Length of each stream behind each sublayer (no unit{', log' if log else ''})", _LEFT, _LINES),
        ("Cosine of every two streams", _RIGHT, _LINES),
        ("layer (attention, then MLP)", _LEFT, (0, 0)),
        ("layer (attention, then MLP)", _RIGHT, (0, 0)),
    ]
    heads += list(zip(titles, (_LEFT, _LEFT, _RIGHT, _RIGHT), (_UPPER, _LOWER, _UPPER, _LOWER)))
    drawn["annotations"] = [
        {
            "text": text,
            "xref": "paper",
            "yref": "paper",
            "x": domain[0],
            "y": place[1],
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 11.5, "color": theme.ink},
        }
        for text, domain, place in heads
    ]
    small = {
        "orientation": "h",
        "yanchor": "top",
        "y": _LINES[0],
        "xanchor": "left",
        "font": {"size": 10.5},
        "bgcolor": "rgba(0,0,0,0)",
    }
    return {
        **drawn,
        "showlegend": True,
        "legend": {**small, "x": _LEFT[0]},
        "legend2": {**small, "x": _RIGHT[0]},
    }
