"""One row of attention through five algorithms, side by side, walked in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import MONO, Layer, Theme, layout, note, scale, token_labels, walked

if TYPE_CHECKING:
    from tlmviz.analysis.kernels.online_softmax import Walk

SHARES = {"text": (0.76, 1.0), "x": (0.53, 0.74), "l_i": (0.29, 0.49), "out": (0.0, 0.25)}  # of the figure's height
GAP = 0.018  # between columns, of the width
SHARES_OF_PANELS = {part: share for part, share in SHARES.items() if part != "text"}
SYMBOLS = {
    "x": "x[{}]",
    "m_i": "m_i",
    "l_i": "l_i",
    "out": "o",
    "weight": "a",
    "rows": "logits x, max m_i|normaliser l_i|weights a · output o",
}
WORDS = {  # the same without symbols
    "x": "logit {}",
    "m_i": "largest so far",
    "l_i": "sum so far",
    "out": "output",
    "weight": "weight",
    "rows": "logits, largest|sum so far|weights · output",
}
Panel = tuple[list[dict[str, Any]], tuple[float, float]]  # fixed traces, and the range of y


def number(value: float, theme: Theme) -> str:
    """A number as fixed-width text; +inf and NaN in red."""
    value = float(value)
    if value != value or value == np.inf:
        return f'<span style="color:{theme.alarm}"><b>{"NaN" if value != value else "inf"}</b></span>'
    return "−∞" if value == -np.inf else f"{value:.4g}".replace("-", "−")


def row_walks(
    walks: tuple[Walk, ...],
    x: np.ndarray,
    tokens: list[str],
    theme: Theme,
    *,
    title: str,
    height: int = 500,
    symbols: bool = True,
) -> go.Figure:
    """Every algorithm on logits [N]: what each has computed after every visit to a logit.

    Columns are algorithms; rows are the logits with the running maximum, the normaliser, and the weights
    (bars) or the running output (a heatmap [D, N]). What is not computed yet is veiled. It opens where the second read
    has reached the largest logit: the one pass is done, and the others have something to show. Without `symbols`
    quantities are named in words.
    """
    names = SYMBOLS if symbols else WORDS
    x = np.asarray(x, np.float32)
    width = (1 - GAP * (len(walks) - 1)) / len(walks)
    columns = [(c * (width + GAP), c * (width + GAP) + width) for c in range(len(walks))]
    total = max(walk.visits for walk in walks)
    outputs = [walk.out for walk in walks if walk.out.ndim == 2 and np.isfinite(walk.out).all()]
    limit = max([float(np.abs(out).max()) for out in outputs], default=1.0) or 1.0
    labels = token_labels(tokens)
    drawn = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 26, "r": 6, "t": 30, "b": 62},
        annotations=_headings(names, theme),
        bargap=0.15,
    )
    del drawn["xaxis"], drawn["yaxis"]
    still, veils, cursors = [], [], []
    for c, walk in enumerate(walks):
        for r, part in enumerate(SHARES_OF_PANELS):
            axis = 3 * c + r + 1
            traces, span = _panel(part, walk, x, labels, limit, names, theme)
            place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
            still += [{**trace, **place} for trace in traces]
            matrix = part == "out" and walk.out.ndim == 2
            drawn |= _panel_axes(axis, columns[c], part, (len(x), span), not matrix, theme)
            if part != "x" or walk.m_i is not None:
                veils.append(_veil(walk, {"x": "m_i"}.get(part, part), len(x), span, place, theme))
            if part == "x":
                cursors.append(_cursor(walk, span, place, theme))
    text = 3 * len(walks) + 1
    drawn[f"xaxis{text}"] = _axis(theme, (0, 1), f"y{text}", range=[0, 1], visible=False)
    drawn[f"yaxis{text}"] = _axis(theme, SHARES["text"], f"x{text}", range=[0, 1], visible=False)
    return walked(
        [*still, *veils, *cursors, _numbers(walks, x, [left for left, _ in columns], text, names, theme)],
        range(1, total + 1),
        [f"{visit} of {total}" for visit in range(1, total + 1)],
        drawn,
        min(len(x) + int(x.argmax()) + 1, total) - 1,
        theme,
        prefix="reads of a logit: ",
        duration=120,
    )


def _headings(names: dict[str, str], theme: Theme) -> list[dict[str, Any]]:
    """Names of the rows of panels, upright at the left."""
    rows = zip(names["rows"].split("|"), SHARES_OF_PANELS.values())
    size, anchor = 10.5, ("right", "middle")
    return [
        {**note(name, -0.012, sum(share) / 2, theme.muted, size, anchor=anchor), "textangle": -90}
        for name, share in rows
    ]


def _panel_axes(
    axis: int,
    across: tuple[float, float],
    part: str,
    spans: tuple[int, tuple[float, float]],
    numbered: bool,
    theme: Theme,
) -> dict[str, dict[str, Any]]:
    """Both axes of one panel; `spans` are the number of logits and the range of y."""
    x = {"range": [-0.6, spans[0] - 0.4], "showticklabels": False}
    y = {
        "range": list(spans[1]),
        "nticks": 4,
        "ticklabelposition": "inside",
        "showgrid": False,
        "showticklabels": numbered,
        "tickfont": {"size": 9, "color": theme.muted},
    }
    return {
        f"xaxis{axis}": _axis(theme, across, f"y{axis}", **x),
        f"yaxis{axis}": _axis(theme, SHARES[part], f"x{axis}", **y),
    }


def _veil(walk: Walk, part: str, n: int, span: tuple[float, float], place: dict[str, Any], theme: Theme) -> Layer:
    """Covers what `part` of an algorithm has not computed yet."""
    bottom, top = span
    style = {
        "y": [bottom, bottom, top, top],
        "fill": "toself",
        "fillcolor": theme.veil(0.86),
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        **place,
    }

    def moving(visit: int) -> dict[str, Any]:
        edge = walk.progress(visit)[2][part] - 0.5
        return {"type": "scatter", "x": [edge, n - 0.4, n - 0.4, edge]}

    return Layer(style, moving)


def _cursor(walk: Walk, span: tuple[float, float], place: dict[str, Any], theme: Theme) -> Layer:
    """The logit that an algorithm reads."""
    style = {"y": list(span), "mode": "lines", "line": {"color": theme.warm, "width": 2}, "hoverinfo": "skip", **place}
    return Layer(style, lambda visit: {"type": "scatter", "x": [walk.progress(visit)[1]] * 2})


def _numbers(
    walks: tuple[Walk, ...], x: np.ndarray, lefts: list[float], axis: int, names: dict[str, str], theme: Theme
) -> Layer:
    """Each algorithm's numbers above its column."""
    style = {
        "x": lefts,
        "y": [1.0] * len(walks),
        "mode": "text",
        "textposition": "bottom right",
        "textfont": {"family": MONO, "size": 10.5, "color": theme.ink},
        "hoverinfo": "skip",
        "cliponaxis": False,
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
    }
    return Layer(
        style, lambda visit: {"type": "scatter", "text": [_words(walk, visit, x, names, theme) for walk in walks]}
    )


def _words(walk: Walk, visit: int, x: np.ndarray, names: dict[str, str], theme: Theme) -> str:
    """One algorithm's numbers after a visit, as five short lines under its name."""
    current, i, known = walk.progress(visit)
    done = visit >= walk.visits
    muted = theme.muted
    head = f"<b>{walk.name}</b>"
    where = (
        f'<span style="color:{muted}">loop {walk.passes.index(current) + 1}/{len(walk.passes)} {current.name}</span>'
    )
    lines = [f"{names['x'].format(i)} = {number(x[i], theme)}"]
    if walk.m_i is not None and known["m_i"]:
        lines.append(f"{names['m_i']} = {number(walk.m_i[known['m_i'] - 1], theme)}")
    if known["l_i"]:
        if walk.alpha is not None and "m_i" in current.fills:
            lines.append(f"old sums × {number(walk.alpha[i], theme)}")
        lines.append(f"{names['l_i']} = {number(walk.l_i[known['l_i'] - 1], theme)}")
    if known["out"]:
        value = walk.out[known["out"] - 1]
        if np.ndim(value):
            lines.append(f"{names['out']} = ({number(value[0], theme)}, …)")
        else:
            lines.append(f"{names['weight']} = {number(value, theme)}")
    if done:
        equations = f", {walk.equations}" if names is SYMBOLS else ""
        where = f'<span style="color:{muted}">done{equations}</span>'
        lines[0] = f"off by {number(float(f'{walk.error:.1e}'), theme)}"
    return "<br>".join([head, where, *lines])


def _panel(
    part: str, walk: Walk, x: np.ndarray, labels: list[str], limit: float, names: dict[str, str], theme: Theme
) -> Panel:
    """One panel's fixed traces and the range of its y axis."""
    if part == "x":
        return _logits(walk, x, labels, names, theme)
    if part == "l_i":
        return _normalisers(walk, names, theme)
    if walk.out.ndim == 2:
        return _running_output(walk, limit, names, theme)
    low, high = _span(np.append(walk.out, 0))
    where = np.arange(len(x))
    bars = _bars(where, walk.out, labels, theme.accent, names["weight"] + "[{}]")
    return [bars, _alarms(where, walk.out, high, theme)], (low, high)


def _logits(walk: Walk, x: np.ndarray, labels: list[str], names: dict[str, str], theme: Theme) -> Panel:
    """Logits as bars, hidden ones as marks, and the running maximum as a line."""
    where, (low, high) = np.arange(len(x)), _span(x)
    bars = _bars(where, x, labels, theme.muted, names["x"])
    bars["marker"]["opacity"] = 0.45
    hidden = where[x == -np.inf]
    marks = {
        "type": "scatter",
        "x": hidden,
        "y": np.full(len(hidden), low + 0.05 * (high - low), np.float32),
        "mode": "markers",
        "marker": {"symbol": "triangle-down", "size": 6, "color": theme.muted},
        "hovertemplate": names["x"].format("%{x}") + " = −∞<extra></extra>",
    }
    lines = [] if walk.m_i is None else [_line(where, walk.m_i, theme.accent, names["m_i"])]
    return [bars, marks, *lines], (low, high)


def _normalisers(walk: Walk, names: dict[str, str], theme: Theme) -> Panel:
    """The running normaliser, with marks where a new maximum rescales it."""
    where, (low, high) = np.arange(len(walk.l_i)), _span(np.append(walk.l_i, 0))
    traces = [_line(where, walk.l_i, theme.accent, names["l_i"])]
    if walk.alpha is not None and walk.m_i is not None:
        grew = where[1:][walk.m_i[1:] > walk.m_i[:-1]]
        traces.append(
            {
                "type": "scatter",
                "x": grew,
                "y": _finite(walk.l_i[grew]),
                "mode": "markers",
                "customdata": walk.alpha[grew],
                "marker": {"color": theme.warm, "size": 6},
                "hovertemplate": "a new maximum: old sums × %{customdata:.4g}<extra></extra>",
            }
        )
    return [*traces, _alarms(where, walk.l_i, high, theme)], (low, high)


def _running_output(walk: Walk, limit: float, names: dict[str, str], theme: Theme) -> Panel:
    """The running output [D, N] as a heatmap."""
    picture = {
        "type": "heatmap",
        "z": np.asarray(walk.out.T, np.float32),
        "zmin": -limit,
        "zmax": limit,
        "showscale": False,
        "colorscale": scale(theme.diverging),
        "hovertemplate": names["out"] + "[%{x}], dimension %{y}: %{z:.4f}<extra></extra>",
    }
    return [picture], (-0.5, walk.out.shape[1] - 0.5)


def _bars(where: np.ndarray, values: np.ndarray, labels: list[str], color: str, name: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": where,
        "y": _finite(values),
        "customdata": labels,
        "marker": {"color": color, "line": {"width": 0}},
        "hovertemplate": f"{name.format('%{x}')} “%{{customdata}}” = %{{y:.5g}}<extra></extra>",
    }


def _line(where: np.ndarray, values: np.ndarray, color: str, name: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": where,
        "y": _finite(values),
        "mode": "lines",
        "line": {"color": color, "width": 2, "shape": "hv"},
        "hovertemplate": f"{name}[%{{x}}] = %{{y:.6g}}<extra></extra>",
    }


def _alarms(where: np.ndarray, values: np.ndarray, top: float, theme: Theme) -> dict[str, Any]:
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


def _axis(theme: Theme, domain: tuple[float, float], anchor: str, **more: Any) -> dict[str, Any]:
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
