"""One row of attention through five algorithms, side by side, walked in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import MONO, Theme, animated, layout, scale, token_label

if TYPE_CHECKING:
    from tlmviz.analysis.kernels.online_softmax import Walk

SHARES = {
    "text": (0.76, 1.0),
    "x": (0.53, 0.74),
    "d": (0.29, 0.49),
    "out": (0.0, 0.25),
}  # of the figure's height
GAP = 0.018  # between columns, of the width


def number(value: float, theme: Theme) -> str:
    """A number as fixed-width text; +inf and NaN in red."""
    value = float(value)
    if value != value or value == np.inf:
        return f'<span style="color:{theme.alarm}"><b>{"NaN" if value != value else "inf"}</b></span>'
    return "−∞" if value == -np.inf else f"{value:.4g}".replace("-", "−")


def row_walks(
    walks: tuple[Walk, ...], x: np.ndarray, tokens: list[str], theme: Theme, *, title: str, height: int = 500
) -> go.Figure:
    """Every algorithm on logits [N]: what each has computed after every visit to a logit.

    Columns are algorithms; rows are the logits with the running maximum, the normaliser, and the weights
    (bars) or the running output (a heatmap [D, N]). What is not computed yet is veiled.
    """
    x, n = np.asarray(x, np.float32), len(x)
    width = (1 - GAP * (len(walks) - 1)) / len(walks)
    columns = [(c * (width + GAP), c * (width + GAP) + width) for c in range(len(walks))]
    total = max(walk.visits for walk in walks)
    at = min(n, total) - 1
    traces, axes, veils, cursors = [], {}, [], []
    low, high = _span(x)
    outputs = [walk.out for walk in walks if walk.out.ndim == 2 and np.isfinite(walk.out).all()]
    limit = max([float(np.abs(out).max()) for out in outputs], default=1.0) or 1.0
    labels = [token_label(token) for token in tokens]
    for c, walk in enumerate(walks):
        for r, part in enumerate(("x", "d", "out")):
            axis = 3 * c + r + 1
            drawn, veil = _panel(part, walk, x, labels, (low, high), limit, theme)
            name = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
            traces += [{**trace, **name} for trace in drawn]
            axes[f"xaxis{axis}"] = _axis(
                theme, columns[c], f"y{axis}", range=[-0.6, n - 0.4], showticklabels=False
            )
            axes[f"yaxis{axis}"] = _axis(
                theme,
                SHARES[part],
                f"x{axis}",
                range=list(veil),
                nticks=4,
                ticklabelposition="inside",
                showgrid=False,
                showticklabels=not (part == "out" and walk.out.ndim == 2),
                tickfont={"size": 9, "color": theme.muted},
            )
            if part != "x" or walk.m is not None:
                veils.append((c, {"x": "m"}.get(part, part), veil, name))
            if part == "x":
                cursors.append((c, name))
    text = 3 * len(walks) + 1
    axes[f"xaxis{text}"] = _axis(theme, (0, 1), f"y{text}", range=[0, 1], visible=False)
    axes[f"yaxis{text}"] = _axis(theme, SHARES["text"], f"x{text}", range=[0, 1], visible=False)

    def moving(visit: int, fixed: bool = False) -> list[dict]:
        states = [walk.progress(visit) for walk in walks]
        covers = []
        for c, part, (bottom, top), name in veils:
            edge = states[c][2][part] - 0.5
            cover = {"type": "scatter", "x": [edge, n - 0.4, n - 0.4, edge]}
            style = {
                "y": [bottom, bottom, top, top],
                "fill": "toself",
                "fillcolor": theme.veil(0.86),
                "mode": "lines",
                "line": {"width": 0},
                "hoverinfo": "skip",
                **name,
            }
            covers.append({**cover, **(style if fixed else {})})
        lines = []
        for c, name in cursors:
            line = {"type": "scatter", "x": [states[c][1]] * 2}
            style = {
                "y": [low, high],
                "mode": "lines",
                "line": {"color": theme.warm, "width": 2},
                "hoverinfo": "skip",
                **name,
            }
            lines.append({**line, **(style if fixed else {})})
        words = {
            "type": "scatter",
            "text": [_words(walk, visit, state, x, theme) for walk, state in zip(walks, states)],
        }
        style = {
            "x": [left for left, _ in columns],
            "y": [1.0] * len(walks),
            "mode": "text",
            "textposition": "bottom right",
            "textfont": {"family": MONO, "size": 10.5, "color": theme.ink},
            "hoverinfo": "skip",
            "cliponaxis": False,
            "xaxis": f"x{text}",
            "yaxis": f"y{text}",
        }
        return [*covers, *lines, {**words, **(style if fixed else {})}]

    first = len(traces)
    traces += moving(at + 1, fixed=True)
    frames = [moving(visit) for visit in range(1, total + 1)]
    names = ("logits x, max m", "normaliser d", "weights · output")
    notes = [
        {
            "text": name,
            "x": -0.012,
            "xref": "paper",
            "xanchor": "right",
            "yref": "paper",
            "yanchor": "middle",
            "y": sum(SHARES[part]) / 2,
            "textangle": -90,
            "showarrow": False,
            "font": {"size": 10.5, "color": theme.muted},
        }
        for name, part in zip(names, ("x", "d", "out"))
    ]
    drawn = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 26, "r": 6, "t": 30, "b": 62},
        annotations=notes,
        bargap=0.15,
    )
    del drawn["xaxis"], drawn["yaxis"]
    visits = [f"{visit} of {total}" for visit in range(1, total + 1)]
    return animated(
        traces,
        {**drawn, **axes},
        frames,
        visits,
        list(range(first, len(traces))),
        at,
        theme,
        prefix="reads of a logit: ",
        duration=120,
    )


def _words(walk: Walk, visit: int, state: tuple, x: np.ndarray, theme: Theme) -> str:
    """One algorithm's numbers after a visit, as five short lines under its name."""
    current, i, known = state
    done = visit >= walk.visits
    muted = theme.muted
    head = f"<b>{walk.name}</b>"
    where = f'<span style="color:{muted}">loop {walk.passes.index(current) + 1}/{len(walk.passes)} {current.name}</span>'
    lines = [f"x[{i}] = {number(x[i], theme)}"]
    if walk.m is not None and known["m"]:
        lines.append(f"m = {number(walk.m[known['m'] - 1], theme)}")
    if known["d"]:
        if walk.factor is not None and "m" in current.fills:
            lines.append(f"old sums × {number(walk.factor[i], theme)}")
        lines.append(f"d = {number(walk.d[known['d'] - 1], theme)}")
    if known["out"]:
        value = walk.out[known["out"] - 1]
        if np.ndim(value):
            lines.append(f"o = ({number(value[0], theme)}, …)")
        else:
            lines.append(f"a = {number(value, theme)}")
    if done:
        where = f'<span style="color:{muted}">done, {walk.equations}</span>'
        lines[0] = f"off by {number(float(f'{walk.error:.1e}'), theme)}"
    return "<br>".join([head, where, *lines])


def _panel(
    part: str,
    walk: Walk,
    x: np.ndarray,
    labels: list[str],
    span: tuple[float, float],
    limit: float,
    theme: Theme,
):
    """One panel's fixed traces and the range of its y axis."""
    where = np.arange(len(x))
    if part == "x":
        bars = _bars(where, x, labels, theme.muted, "x")
        bars["marker"]["opacity"] = 0.45
        hidden = where[x == -np.inf]
        low, high = span
        drawn = [
            bars,
            {
                "type": "scatter",
                "x": hidden,
                "y": np.full(len(hidden), low + 0.05 * (high - low), np.float32),
                "mode": "markers",
                "marker": {"symbol": "triangle-down", "size": 6, "color": theme.muted},
                "hovertemplate": "x[%{x}] = −∞<extra></extra>",
            },
        ]
        if walk.m is not None:
            drawn.append(_line(where, walk.m, theme.accent, "m"))
        return drawn, span
    if part == "d":
        low, high = _span(np.append(walk.d, 0))
        drawn = [_line(where, walk.d, theme.accent, "d")]
        if walk.factor is not None:
            grew = where[(walk.factor < 1) & (where > 0)]
            drawn.append(
                {
                    "type": "scatter",
                    "x": grew,
                    "y": _finite(walk.d[grew]),
                    "mode": "markers",
                    "customdata": walk.factor[grew],
                    "marker": {"color": theme.warm, "size": 6},
                    "hovertemplate": "a new maximum: old sums × %{customdata:.4g}<extra></extra>",
                }
            )
        drawn.append(_alarms(where, walk.d, high, theme))
        return drawn, (low, high)
    if walk.out.ndim == 2:
        picture = {
            "type": "heatmap",
            "z": np.asarray(walk.out.T, np.float32),
            "zmin": -limit,
            "zmax": limit,
            "showscale": False,
            "colorscale": scale(theme.diverging),
            "hovertemplate": "o[%{x}], dimension %{y}: %{z:.4f}<extra></extra>",
        }
        return [picture], (-0.5, walk.out.shape[1] - 0.5)
    low, high = _span(np.append(walk.out, 0))
    return [_bars(where, walk.out, labels, theme.accent, "a"), _alarms(where, walk.out, high, theme)], (
        low,
        high,
    )


def _bars(where: np.ndarray, values: np.ndarray, labels: list[str], color: str, name: str) -> dict:
    return {
        "type": "bar",
        "x": where,
        "y": _finite(values),
        "customdata": labels,
        "marker": {"color": color, "line": {"width": 0}},
        "hovertemplate": f"{name}[%{{x}}] “%{{customdata}}” = %{{y:.5g}}<extra></extra>",
    }


def _line(where: np.ndarray, values: np.ndarray, color: str, name: str) -> dict:
    return {
        "type": "scatter",
        "x": where,
        "y": _finite(values),
        "mode": "lines",
        "line": {"color": color, "width": 2, "shape": "hv"},
        "hovertemplate": f"{name}[%{{x}}] = %{{y:.6g}}<extra></extra>",
    }


def _alarms(where: np.ndarray, values: np.ndarray, top: float, theme: Theme) -> dict:
    """Red marks where a value is inf or NaN."""
    bad = where[np.isnan(values) | (values == np.inf)]
    return {
        "type": "scatter",
        "x": bad,
        "y": np.full(len(bad), 0.85 * top, np.float32),
        "mode": "markers",
        "customdata": ["NaN" if np.isnan(values[i]) else "inf" for i in bad],
        "marker": {"symbol": "x", "size": 6, "color": theme.alarm},
        "hovertemplate": "[%{x}] = %{customdata}<extra></extra>",
    }


def _finite(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values, np.float32)
    return np.where(np.isfinite(values), values, np.float32(np.nan))


def _span(values: np.ndarray) -> tuple[float, float]:
    """A range that holds all finite values and zero, with a little air."""
    seen = values[np.isfinite(values)]
    low, high = (min(0.0, float(seen.min())), max(0.0, float(seen.max()))) if len(seen) else (0.0, 1.0)
    air = 0.08 * (high - low) or 1.0
    return low - (air if low < 0 else 0), high + air


def _axis(theme: Theme, domain: tuple[float, float], anchor: str, **more: Any) -> dict:
    return {
        "domain": list(domain),
        "anchor": anchor,
        "zeroline": False,
        "fixedrange": True,
        "showgrid": False,
        "linecolor": theme.grid,
        "showline": True,
        "mirror": True,
        "ticks": "",
        **more,
    }
