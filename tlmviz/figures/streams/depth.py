"""What depth makes of residual streams: gains of every product of mixing matrices, and what is left of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, animated, colorbar, figure, layout, log_ticks, note, rgb, tick_text

NAMES = {"residual": "Residual", "hyper": "HC", "manifold": "mHC"}
DECADES = 12.0  # of the colour scale at most, on either side of a gain of 1
NARROW = np.log10(2)  # and at least: noise around 1 must look like 1
ROWS = {"gain": (0.54, 0.93), "singular": (0.3, 0.45), "left": (0.06, 0.215)}  # of the figure's height
AIR = 0.06  # of an axis's values, beyond them
GAP = 0.055  # between columns, of the width
BESIDE_BUTTONS = 0.24  # where the slider begins: the figure is not as wide as a whole page


@dataclass(frozen=True)
class Products:
    """Gains [F, P, P] (from i to j, NaN below the diagonal), singular values [F, P, N], and what is left of a stream,
    [F, P]."""

    gain: np.ndarray
    singular: np.ndarray
    own: np.ndarray
    other: np.ndarray
    distance: np.ndarray


def color(kind: str, theme: Theme) -> str:
    """Each kind of connection's colour, the same in all charts of a page."""
    return {"residual": theme.muted, "hyper": theme.warm, "manifold": theme.accent}[kind]


def log_scale(limit: float, theme: Theme) -> tuple[list[list[float | str]], float, float]:
    """A Plotly scale for gains of 10^-limit to 10^limit, even in their logarithm: stops, zmin, zmax.

    The numbers stay gains, which the hover text then shows; only the colours are logarithmic.
    """
    anchors = np.array([rgb(color) for color in theme.diverging], np.float64)
    shares = np.linspace(0, 1, 49)
    mixed = np.stack(
        [np.interp(shares, np.linspace(0, 1, len(anchors)), anchors[:, channel]) for channel in range(3)], 1
    )
    gains = 10 ** ((2 * shares - 1) * limit)
    places = (gains - gains[0]) / (gains[-1] - gains[0])
    stops: list[list[float | str]] = [
        [float(place), "rgb({:.0f},{:.0f},{:.0f})".format(*mix)] for place, mix in zip(places, mixed)
    ]
    return stops, float(gains[0]), float(gains[-1])


def _beneath(span: list[float], theme: Theme) -> dict[str, Any]:
    """What lies under a triangle: no product leads backwards, and a gain of 1, which has the colour of the page, must
    not look like that."""
    corners = dict(zip(("x0", "x1", "y0", "y1"), (*span, *ROWS["gain"])))
    place = {"type": "rect", "layer": "below", "xref": "paper", "yref": "paper", **corners}
    return {**place, "fillcolor": theme.missing, "line": {"width": 0}}


def products(
    panels: dict[str, Products],
    names: list[str],
    labels: list[str],
    at: int,
    theme: Theme,
    *,
    title: str,
    what: str,
    height: int = 545,
) -> go.Figure:
    """A column for each kind of connection: a triangle of gains, singular values and a stream's identity; a frame per
    label.

    `names` are the P sublayers', `labels` the frames'; `what` says which gain it is. A single label draws no slider.
    """
    limit = min(max([NARROW, *(_decades(panel.gain) for panel in panels.values())]), DECADES)
    width = (1 - GAP * (len(panels) - 1)) / len(panels)
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    moving: list[int] = []
    notes, beneath = [_legend(theme)], []
    frames: list[list[dict[str, Any]]] = [[] for _ in labels]
    for c, (kind, panel) in enumerate(panels.items()):
        span = [c * (width + GAP), c * (width + GAP) + width]
        notes.append(_note(f"<b>{NAMES[kind]}</b>", sum(span) / 2, 0.945, color(kind, theme)))
        beneath.append(_beneath(span, theme))
        first = len(traces)
        fixed = _triangle(panel, names, limit, theme, what) + _lines(panel, names, theme)
        for r, (part, share) in enumerate(ROWS.items()):
            number = 3 * c + r + 1
            axes |= _axes(part, number, span, share, names, theme, c == 0)
        one = {"range": [-1, 1], "tickvals": [1.0]}
        axes[f"yaxis{3 * c + 2}"] |= one if panel.singular.shape[-1] == 1 else _log_axis(panel.singular)
        axes[f"yaxis{3 * c + 3}"] |= {"range": _span(panel)}
        for trace in fixed:
            number = 3 * c + 1 + list(ROWS).index(trace.pop("row"))
            traces.append({**trace, "xaxis": f"x{number}", "yaxis": f"y{number}"})
        if len(labels) > 1 and panel.singular.shape[-1] > 1:  # one stream is the same for every token
            states = [_state(panel, frame) for frame in range(len(labels))]
            moving += range(first, first + len(states[0]))
            for frame, state in zip(frames, states):
                frame += state
        for offset, changed in enumerate(_state(panel, at if len(panel.gain) > 1 else 0)):
            traces[first + offset] |= changed
    traces.append(_colorbar(limit, theme))
    drawn = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 52, "r": 8, "t": 30, "b": 62 if moving else 8},
        annotations=notes,
        shapes=beneath,
    )
    del drawn["xaxis"], drawn["yaxis"]
    if not moving:
        return figure(traces, {**drawn, **axes})
    walked: dict[str, Any] = {"prefix": "token ", "duration": 120, "stepping": True, "left": BESIDE_BUTTONS}
    return animated(traces, {**drawn, **axes}, frames, labels, moving, at, theme, **walked)


def _decades(gain: np.ndarray) -> float:
    seen = gain[np.isfinite(gain) & (gain > 0)]
    return float(np.abs(np.log10(seen)).max()) if len(seen) else 0.0


def _triangle(panel: Products, names: list[str], limit: float, theme: Theme, what: str) -> list[dict[str, Any]]:
    stops, low, high = log_scale(limit, theme)
    count = len(names)
    return [
        {
            "row": "gain",
            "type": "heatmap",
            "x": names,
            "y": names,
            "colorscale": stops,
            "zmin": low,
            "zmax": high,
            "showscale": False,
            "xgap": 1 if count <= 20 else 0,
            "ygap": 1 if count <= 20 else 0,
            "hoverongaps": False,
            "hovertemplate": f"from %{{y}} to %{{x}}<br>{what} gain %{{z:.5g}}<extra></extra>",
        },
        {
            "row": "gain",
            "type": "scatter",
            "x": [names[0]],
            "y": [names[-1 - count // 8]],
            "mode": "text",
            "textposition": "middle right",
            "textfont": {"color": theme.ink, "size": 11},
            "hoverinfo": "skip",
        },
    ]


def _lines(panel: Products, names: list[str], theme: Theme) -> list[dict[str, Any]]:
    n = panel.singular.shape[-1]
    values = [
        {
            "row": "singular",
            "type": "scatter",
            "x": names,
            "mode": "lines",
            "line": {"color": HEADS[i % len(HEADS)], "width": 2},
            "hovertemplate": f"through %{{x}}<br>singular value {i + 1} of {n}: %{{y:.5g}}<extra></extra>",
        }
        for i in range(n)
    ]
    styles = {
        "mean diagonal entry": (theme.accent, "solid"),
        "mean entry off it": (theme.warm, "solid"),
        "distance to 1/N": (theme.muted, "dash"),
    }
    left = [
        {
            "row": "left",
            "type": "scatter",
            "x": names,
            "mode": "lines",
            "line": {"color": ink, "width": 2, "dash": dash},
            "hovertemplate": f"through %{{x}}<br>{name} %{{y:.5g}}<extra></extra>",
        }
        for name, (ink, dash) in styles.items()
    ]
    even = {
        "row": "left",
        "type": "scatter",
        "x": names,
        "y": np.full(len(names), 1 / n, np.float32),
        "mode": "lines",
        "line": {"color": theme.muted, "width": 1, "dash": "dot"},
        "hovertemplate": f"1/N = {1 / n:.4g}<extra></extra>",
    }
    return [*values, *left, even]


def _state(panel: Products, frame: int) -> list[dict[str, Any]]:
    """What changes from frame to frame, in the order of the traces: the triangle, its text, singular values, three
    lines."""
    gain = np.asarray(panel.gain[frame], np.float32)
    return [
        {"type": "heatmap", "z": gain},
        {"type": "scatter", "text": [f"all sublayers<br><b>×{short(gain[0, -1])}</b>"]},
        *({"type": "scatter", "y": np.asarray(one, np.float32)} for one in panel.singular[frame].T),
        *(
            {"type": "scatter", "y": np.asarray(line[frame], np.float32)}
            for line in (panel.own, panel.other, panel.distance)
        ),
    ]


def short(value: float) -> str:
    """A gain in a few digits."""
    return f"{value:.3f}" if 0.01 <= value < 10 else f"{value:.1f}" if 10 <= value < 10_000 else f"{value:.3g}"


def _axes(
    part: str, number: int, span: list[float], share: tuple[float, float], names: list[str], theme: Theme, first: bool
) -> dict[str, Any]:
    """One panel's two axes. Names of sublayers are categories: the hover text shows them, the ticks their layers."""
    step = 2 * max(1, len(names) // 12)
    places = list(range(0, len(names), step))
    quiet = {
        "gridcolor": theme.grid,
        "zeroline": False,
        "showline": True,
        "mirror": True,
        "linecolor": theme.grid,
        "tickfont": {"size": 10, "color": theme.muted},
        "fixedrange": True,
    }
    layers = {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [str(place // 2) for place in places],
        "type": "category",
    }
    x = {"domain": span, "anchor": f"y{number}", **quiet, **layers, "showgrid": False}
    y = {"domain": list(share), "anchor": f"x{number}", **quiet}
    words = {"gain": "from layer", "singular": "singular<br>values", "left": "a stream's<br>identity"}[part]
    if part == "gain":
        y |= {**layers, "autorange": "reversed", "showgrid": False}
        x["title"] = {"text": "to layer", "font": {"size": 10.5, "color": theme.muted}, "standoff": 2}
    elif part == "singular":
        y |= {"type": "log", "exponentformat": "power", "nticks": 4, "minexponent": 2}
    else:
        y |= {"nticks": 4}
        x["title"] = {"text": "through layer", "font": {"size": 10.5, "color": theme.muted}, "standoff": 2}
    if first:
        y["title"] = {"text": words, "font": {"size": 10.5, "color": theme.muted}, "standoff": 4}
    return {f"xaxis{number}": x, f"yaxis{number}": y}


def _log_axis(values: np.ndarray) -> dict[str, Any]:
    """Ticks and the range of a logarithmic axis that holds the values of all frames."""
    seen = np.log10(values[np.isfinite(values) & (values > 0)])
    if not len(seen):
        return {}
    air = max(AIR * float(seen.max() - seen.min()), 0.01)
    return {**log_ticks(values), "range": [float(seen.min()) - air, float(seen.max()) + air]}


def _span(panel: Products) -> list[float]:
    """The range of what is left of a stream, in all frames."""
    seen = np.concatenate([line.ravel() for line in (panel.own, panel.other, panel.distance)])
    seen = np.append(seen[np.isfinite(seen)], 1 / panel.singular.shape[-1])
    air = max(AIR * float(seen.max() - seen.min()), 0.01)
    return [float(seen.min()) - air, float(seen.max()) + air]


def _colorbar(limit: float, theme: Theme) -> dict[str, Any]:
    """A colour bar with gains at even steps of their logarithm: the triangles' own would be linear."""
    stops = [[i / (len(theme.diverging) - 1), code] for i, code in enumerate(theme.diverging)]
    step = limit / 2 if limit < 1 else max(1, int(limit) // 3)
    ticks = step * np.arange(-(limit // step), limit // step + 1)
    marks: dict[str, Any] = {"tickvals": ticks.tolist(), "ticktext": [f"×{tick_text(10**tick)}" for tick in ticks]}
    low, high = ROWS["gain"]
    return {
        "type": "scatter",
        "x": [None],
        "y": [None],
        "mode": "markers",
        "hoverinfo": "skip",
        "xaxis": "x1",
        "yaxis": "y1",
        "marker": {
            "color": [0.0],
            "cmin": -limit,
            "cmax": limit,
            "colorscale": stops,
            "showscale": True,
            "colorbar": colorbar(theme, thickness=10, nticks=None, x=1.01, y=(low + high) / 2, len=high - low, **marks),
        },
    }


def _legend(theme: Theme) -> dict[str, Any]:
    """What the lines of the lowest row are, in their colours."""
    own, other, distance = (f'<span style="color:{ink}">{{}}</span>' for ink in (theme.accent, theme.warm, theme.muted))
    words = (own.format("mean diagonal"), other.format("mean off it"), distance.format("- - distance to 1/N"))
    note = _note(" · ".join(words), 0, ROWS["left"][1], theme.ink)
    return {**note, "xanchor": "left", "font": {"size": 10.5}}


def _note(text: str, x: float, y: float, ink: str) -> dict[str, Any]:
    return note(text, x, y, ink, 12, anchor=("center", "bottom"))
