"""What was logged while a family of models was trained: curves over steps, and matrices at moments, walked by one
slider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, animated, colorbar, figure, layout, log_ticks, note, scale

from .depth import BESIDE_BUTTONS, NAMES, color

LEFT = (0.0, 0.44)  # the curves' share of the width
RIGHT = (0.52, 1.0)  # and the matrices'
BAND = 12  # layers side by side; more continue below
PANELS = (  # title, columns with their dash and width, logarithmic
    ("training loss (nats)", (("train_loss", "solid", 1.8),), False),
    ("held out (bits per byte)", (("valid_bpb", "solid", 1.8),), False),
    ("gradient norm (dotted: largest)", (("grad_norm", "solid", 1.8), ("grad_norm_max", "dot", 1.0)), True),
    ("gain, all sublayers (dotted: backward)", (("gain_forward", "solid", 1.8), ("gain_backward", "dot", 1.8)), True),
)
WORDS = {
    "train_loss": "training loss",
    "valid_bpb": "held out",
    "grad_norm": "gradient norm, mean",
    "grad_norm_max": "gradient norm, largest",
    "gain_forward": "forward gain",
    "gain_backward": "backward gain",
}


@dataclass(frozen=True)
class Curves:
    """One model's logged numbers: steps [S], and by column the values [S], NaN where nothing was measured."""

    steps: np.ndarray
    values: dict[str, np.ndarray]


@dataclass(frozen=True)
class Matrices:
    """H_res of P sublayers at M steps: steps [M], res [M, P, N, N]."""

    steps: np.ndarray
    res: np.ndarray


def training(
    curves: dict[str, Curves],
    matrices: dict[str, Matrices],
    names: list[str],
    theme: Theme,
    *,
    title: str,
    height: int = 560,
) -> go.Figure:
    """{connection: Curves} at the left, panels over one axis of steps; {connection: Matrices} at the right, tiled.

    A slider walks the moments; a line marks them on the curves. `names` are the P sublayers'.
    """
    traces, axes = _curves(curves, theme)
    steps = np.unique(np.concatenate([each.steps for each in matrices.values()])) if matrices else np.zeros(0)
    notes, moving = [], []
    frames: list[list[dict[str, Any]]] = [[] for _ in steps]
    limit = max([1.0, *(float(np.abs(each.res).max()) for each in matrices.values())])
    rows = _shares(len(matrices), 0.05, 0.93, 0.13)
    for number, ((kind, each), share) in enumerate(zip(matrices.items(), rows), start=len(PANELS) + 1):
        tiles = [tiled(one) for one in each.res]
        moving.append(len(traces))
        colors = {"zmin": -limit, "zmax": limit, "colorscale": scale(theme.diverging)}
        first = number == len(PANELS) + 1
        cells = _cells(names, each.res.shape[-1], tiles[0].shape)
        traces.append(_tiles(tiles[-1], cells, number, first, colors, theme))
        for frame, step in zip(frames, steps):
            moment = max(0, np.searchsorted(each.steps, step, side="right") - 1)
            frame.append({"type": "heatmap", "z": tiles[moment]})
        axes |= _tile_axes(number, share, len(names), each.res.shape[-1], theme)
        words = f"<b>{NAMES[kind]}</b>: H_res, mean over tokens"
        notes.append(_note(words, RIGHT[0], share[1] + 0.005, color(kind, theme)))
    drawn = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 8, "r": 8, "t": 52, "b": 66 if len(steps) else 34},
        showlegend=True,
        annotations=notes,
        legend={"x": LEFT[0], "xanchor": "left", "y": 1.0, "yanchor": "bottom", "orientation": "h"},
    )
    del drawn["xaxis"], drawn["yaxis"]
    if not len(steps):
        return figure(traces, {**drawn, **axes})
    cursors = [{"shapes": [_cursor(step, theme)]} for step in steps]
    return animated(
        traces,
        {**drawn, **axes, **cursors[-1]},
        frames,
        [f"{step:,.0f}" for step in steps],
        moving,
        len(steps) - 1,
        theme,
        prefix="step ",
        stepping=True,
        left=BESIDE_BUTTONS,
        layouts=cursors,
    )


def _tiles(
    tiles: np.ndarray, cells: np.ndarray, number: int, explained: bool, colors: dict[str, Any], theme: Theme
) -> dict[str, Any]:
    """The matrices of one connection on the axes `number`; the colour bar stands beside the `explained` one."""
    return {
        "type": "heatmap",
        "z": tiles,
        **colors,
        "customdata": cells,
        "hoverongaps": False,
        "showscale": explained,
        "hovertemplate": "%{customdata}: %{z:.4f}<extra></extra>",
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
        "colorbar": colorbar(theme, thickness=9, len=0.4, y=0.93, yanchor="top", x=1.005),
    }


def tiled(res: np.ndarray) -> np.ndarray:
    """Matrices [P, N, N] side by side with gaps of NaN: a column per layer, attention above MLP, bands of `BAND`
    layers."""
    count, n = len(res), res.shape[-1]
    layers, side = count // 2, n + 1
    columns, bands = min(layers, BAND), -(-layers // BAND)
    picture = np.full((bands * 2 * side - 1, columns * side - 1), np.nan, np.float32)
    for place, matrix in enumerate(res):
        row, column = _corner(place, side)
        picture[row : row + n, column : column + n] = matrix
    return picture


def _corner(place: int, side: int) -> tuple[int, int]:
    """Where a sublayer's tile begins."""
    layer, part = divmod(place, 2)
    return (2 * (layer // BAND) + part) * side, layer % BAND * side


def _cells(names: list[str], n: int, shape: tuple[int, int]) -> np.ndarray:
    cells = np.full(shape, "", object)
    for place, name in enumerate(names):
        row, column = _corner(place, n + 1)
        for to in range(n):
            for of in range(n):
                cells[row + to, column + of] = f"{name}, to stream {to} from stream {of}"
    return cells


def _curves(curves: dict[str, Curves], theme: Theme) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    traces, axes = [], {}
    shares = _shares(len(PANELS), 0.05, 1.0, 0.05)
    for number, ((title, columns, log), share) in enumerate(zip(PANELS, shares), start=1):
        for kind, each in curves.items():
            for column, dash, width in columns:
                y = np.asarray(each.values[column], np.float32)
                seen = np.isfinite(y) & ((y > 0) | (not log))
                traces.append(
                    {
                        "type": "scatter",
                        "x": np.asarray(each.steps, np.float32)[seen],
                        "y": y[seen],
                        "name": NAMES[kind],
                        "mode": "lines",
                        "line": {"color": color(kind, theme), "width": width, "dash": dash},
                        "legendgroup": kind,
                        "showlegend": number == 1,
                        "xaxis": "x",
                        "yaxis": f"y{number}" if number > 1 else "y",
                        "hovertemplate": f"step %{{x:,}}: {WORDS[column]} %{{y:.5g}}<extra>{NAMES[kind]}</extra>",
                    }
                )
        ticks = log_ticks(*(each.values[column] for each in curves.values() for column, *_ in columns)) if log else {}
        axes[f"yaxis{number}" if number > 1 else "yaxis"] = {
            "domain": list(share),
            "anchor": "x",
            "gridcolor": theme.grid,
            "zeroline": False,
            "nticks": 5,
            "showline": True,
            "linecolor": theme.grid,
            "mirror": True,
            "type": "log" if log else "linear",
            "exponentformat": "power",
            "minexponent": 3,
            "tickfont": {"size": 10, "color": theme.muted},
            "automargin": True,
            **ticks,
            "title": {
                "text": title.replace(" (", "<br>("),
                "font": {"size": 10.5, "color": theme.muted},
                "standoff": 4,
            },
        }
    axes["xaxis"] = {
        "domain": list(LEFT),
        "anchor": f"y{len(PANELS)}",
        "gridcolor": theme.grid,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"size": 10, "color": theme.muted},
        "title": {"text": "step", "font": {"size": 11}, "standoff": 2},
    }
    return traces, axes


def _tile_axes(number: int, share: tuple[float, float], count: int, n: int, theme: Theme) -> dict[str, dict[str, Any]]:
    layers, side, middle = count // 2, n + 1, (n - 1) / 2
    columns, bands = min(layers, BAND), -(-layers // BAND)
    quiet = {
        "showgrid": False,
        "zeroline": False,
        "tickmode": "array",
        "ticks": "",
        "fixedrange": True,
        "automargin": True,
        "tickfont": {"size": 10, "color": theme.muted},
    }
    kinds = [f"{kind} +{band * BAND}" if band else kind for band in range(bands) for kind in ("attn", "MLP")]
    return {
        f"xaxis{number}": {
            "domain": list(RIGHT),
            "anchor": f"y{number}",
            **quiet,
            "range": [-0.7, columns * side - 1.3],
            "tickvals": [i * side + middle for i in range(columns)],
            "ticktext": [str(i) for i in range(columns)],
            "title": {"text": "layer", "font": {"size": 10.5, "color": theme.muted}, "standoff": 2},
        },
        f"yaxis{number}": {
            "domain": list(share),
            "anchor": f"x{number}",
            **quiet,
            "range": [2 * bands * side - 1.3, -0.7],
            "tickvals": [i * side + middle for i in range(2 * bands)],
            "ticktext": kinds,
        },
    }


def _shares(count: int, low: float, high: float, gap: float) -> list[tuple[float, float]]:
    """Equal shares of a height, from the top down."""
    size = (high - low - gap * (count - 1)) / max(count, 1)
    tops = [high - i * (size + gap) for i in range(count)]
    return [(max(low, top - size), top) for top in tops]


def _cursor(step: float, theme: Theme) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "x0": float(step),
        "x1": float(step),
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.ink, "width": 1.5, "dash": "dot"},
    }


def _note(text: str, x: float, y: float, ink: str) -> dict[str, Any]:
    return note(text, x, y, ink, 12)
