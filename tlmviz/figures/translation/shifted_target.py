"""The shifted target: what a decoder reads, what it must predict, and what each prediction costs with the mask and
without."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, figure, layout, token_label, token_labels

FIXED = {"fixedrange": True, "showgrid": False, "zeroline": False}
ROWS = ("reads", "must predict")
LABELLED = 30  # tokens that are still written into their boxes


def shifted_target(
    given: list[str], wanted: list[str], losses: dict[str, np.ndarray], chosen: int, theme: Theme, height: int = 360
) -> go.Figure:
    """Two rows of tokens, [T] each, above the loss in nats of every predicted token, a bar for each entry of `losses`
    [T].

    Slanted lines join a token that must be predicted to the place where it is read, one position later; the line of the
    position `chosen` is in colour.
    """
    count = len(wanted)
    return figure(
        [_boxes(given, wanted, theme), *_slants(count, chosen, theme), *_loss_bars(losses, wanted, theme)],
        layout(
            theme,
            title="Shifted target, and the loss of each predicted token (nats)",
            height=height,
            barmode="group",
            bargap=0.25,
            shapes=[_mark(chosen, theme)],
            showlegend=True,
            hovermode="closest",
            legend={"orientation": "h", "x": 0, "y": -0.3, "yanchor": "top", "font": {"size": 12}},
            margin={"l": 84, "r": 8, "t": 34, "b": 96},
            **_panels(wanted, theme),
        ),
    )


def _mark(chosen: int, theme: Theme) -> dict[str, Any]:
    """The position `chosen`, shaded over the whole height."""
    return {
        "type": "rect",
        "x0": chosen - 0.5,
        "x1": chosen + 0.5,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "fillcolor": theme.warm,
        "opacity": 0.1,
        "line": {"width": 0},
    }


def _boxes(given: list[str], wanted: list[str], theme: Theme) -> dict[str, Any]:
    """The two rows of tokens; their names are written into the boxes where they fit."""
    count = len(wanted)
    boxes: dict[str, Any] = {
        "type": "heatmap",
        "z": np.zeros((2, count), np.float32),
        "y": np.array([1.0, 0.0]),
        "xaxis": "x",
        "yaxis": "y2",
        "colorscale": [[0, theme.missing], [1, theme.missing]],
        "showscale": False,
        "xgap": 3,
        "ygap": 22,
        "customdata": [
            [[row, token_label(token, 18)] for token in tokens] for row, tokens in zip(ROWS, (given, wanted))
        ],
        "hovertemplate": "position %{x}: %{customdata[0]} “%{customdata[1]}”<extra></extra>",
    }
    if count <= LABELLED:
        limit = 9 if count <= 15 else 6
        boxes |= {
            "text": [token_labels(tokens, limit) for tokens in (given, wanted)],
            "texttemplate": "%{text}",
            "textfont": {"color": theme.ink, "size": 12 if count <= 8 else 10},
        }
    return boxes


def _panels(wanted: list[str], theme: Theme) -> dict[str, Any]:
    """The axes of the losses and, above them, of the two rows of tokens."""
    count = len(wanted)
    where, step = np.arange(count, dtype=np.float32), -(-count // 44)
    return dict(
        xaxis={
            **FIXED,
            "range": [-0.5, count - 0.5],
            "automargin": False,
            "tickvals": where[::step],
            "tickangle": -45,
            "ticktext": token_labels(wanted[::step], 11),
            "anchor": "y",
        },
        yaxis={
            **FIXED,
            "domain": [0, 0.56],
            "rangemode": "tozero",
            "showgrid": True,
            "gridcolor": theme.grid,
            "nticks": 5,
            "title": {"text": "nats"},
        },
        yaxis2={
            **FIXED,
            "domain": [0.6, 1],
            "range": [-0.5, 1.5],
            "tickvals": [1, 0],
            "ticktext": list(ROWS),
            "tickfont": {"size": 12, "color": theme.ink},
            "anchor": "x",
        },
    )


def _slants(count: int, chosen: int, theme: Theme) -> list[dict[str, Any]]:
    """The lines between the two rows; the one of the position `chosen` is in colour."""
    return [
        _slant(np.delete(np.arange(count - 1), chosen) if chosen < count - 1 else np.arange(count - 1), theme.muted, 1),
        _slant(np.arange(chosen, min(chosen + 1, count - 1)), theme.warm, 3),
    ]


def _loss_bars(losses: dict[str, np.ndarray], wanted: list[str], theme: Theme) -> list[dict[str, Any]]:
    """The loss of every predicted token in nats, a bar for each entry of `losses`."""
    where = np.arange(len(wanted), dtype=np.float32)
    colors = (theme.accent, theme.muted, theme.warm)
    return [
        {
            "type": "bar",
            "x": where,
            "y": np.asarray(values, np.float32),
            "name": name,
            "marker": {"color": color},
            "customdata": token_labels(wanted, 18),
            "hovertemplate": "“%{customdata}”, " + name + ": %{y:.5f} nats<extra></extra>",
        }
        for (name, values), color in zip(losses.items(), colors)
    ]


def _slant(starts: np.ndarray, color: str, width: float) -> dict[str, Any]:
    """Lines from the lower row at t to the upper row at t + 1."""
    x = np.stack((starts, starts + 1, np.full(len(starts), np.nan)), 1).astype(np.float32).ravel()
    y = np.tile(np.array([0.24, 0.76, np.nan], np.float32), len(starts))
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "yaxis": "y2",
        "hoverinfo": "skip",
        "showlegend": False,
        "line": {"color": color, "width": width},
    }
