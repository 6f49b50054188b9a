"""Redundancy of heads: how alike they are, and the loss under head ablation or shared keys and values."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, layout, number, scale, upright

PLAIN = {"showgrid": False, "zeroline": False}


NAMED = 12  # layers whose numbers have room along a side


def similarity(
    values: np.ndarray, layers: int, pairs: list[tuple[int, int]], title: str, theme: Theme, height: int = 440
) -> go.Figure:
    """Similarity of every two heads, [L * H, L * H], layers divided by lines; `pairs` are circled in the lower half.

    Colours run from 0, or from -1 about zero where something is negative.
    """
    count, heads = len(values), len(values) // layers
    values = np.asarray(values, np.float32)
    signed = bool(np.nanmin(values, initial=0) < -0.02)
    labels = [f"L{head // heads}H{head % heads}" for head in range(count)]
    heat = {
        "type": "heatmap",
        "z": values,
        "zmin": -1 if signed else 0,
        "zmax": 1,
        "hoverongaps": False,
        "colorscale": scale(theme.diverging if signed else theme.sequential),
        "colorbar": colorbar(theme),
        "customdata": [[f"heads {a} and {b}" for b in labels] for a in labels],
        "hovertemplate": "%{customdata}: %{z:.4f}<extra></extra>",
    }
    marks = {
        "type": "scatter",
        "x": np.array([min(pair) for pair in pairs]),
        "y": np.array([max(pair) for pair in pairs]),
        "mode": "markers",
        "hoverinfo": "skip",
        "marker": {"symbol": "circle-open", "size": 12, "color": theme.warm, "line": {"width": 2}},
    }
    edges = np.arange(1, layers) * heads - 0.5
    rule = {"type": "line", "line": {"color": theme.muted, "width": 1}, "opacity": 0.6}
    shapes = [{**rule, "x0": edge, "x1": edge, "y0": -0.5, "y1": count - 0.5} for edge in edges]
    shapes += [{**rule, "y0": edge, "y1": edge, "x0": -0.5, "x1": count - 0.5} for edge in edges]
    named = np.arange(0, layers, -(-layers // NAMED))
    axis = {**PLAIN, "tickvals": named * heads + (heads - 1) / 2, "ticktext": [str(layer) for layer in named]}
    return figure(
        [heat, marks],
        layout(
            theme,
            title=title,
            x="head, by layer",
            y="head, by layer",
            height=height,
            shapes=shapes,
            hovermode="closest",
            xaxis={**axis, "range": [-0.5, count - 0.5]},
            yaxis={**axis, "range": [count - 0.5, -0.5]},
        ),
    )


def steps(
    lines: dict[str, np.ndarray],
    words: list[str],
    theme: Theme,
    *,
    title: str,
    x: str,
    marks: dict[int, str] | None = None,
    height: int = 320,
) -> go.Figure:
    """Change of loss after 0, 1, 2, ... steps, one line per name; `words` says what each step did, `marks` names some.

    The first line is drawn strong, the second warm, others quiet.
    """
    count = max(len(line) for line in lines.values())
    colors = [theme.accent, theme.warm, *[theme.muted] * len(lines)]
    traces = [
        {
            "type": "scatter",
            "x": np.arange(len(line)),
            "y": np.asarray(line, np.float32),
            "mode": "lines+markers",
            "line": {"color": color, "width": 2, "dash": "solid" if color != theme.muted else "dot"},
            "marker": {"size": 4},
            "name": name,
            "customdata": words[: len(line)],
            "hovertemplate": f"{name}: %{{y:+.4f}} nats<br>%{{customdata}}<extra></extra>",
        }
        for (name, line), color in zip(lines.items(), colors)
    ]
    shapes, notes = [], []
    for at, word in (marks or {}).items():
        shapes.append(upright(at, color=theme.muted, dash="dot"))
        notes.append(
            {
                "x": at,
                "y": 0.98,
                "yref": "paper",
                "xanchor": "right",
                "yanchor": "top",
                "showarrow": False,
                "text": f"{word} ",
                "font": {"size": 10.5, "color": theme.muted},
            }
        )
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x=x,
            y="change of loss",
            height=height,
            showlegend=True,
            shapes=shapes,
            annotations=notes,
            margin={"l": 8, "r": 8, "t": 58, "b": 8},
            xaxis={"range": [-0.5, count - 0.5]},
        ),
    )


def _change(value: float) -> str:
    """A change in two digits with its sign; what rounds to nothing has none."""
    return number(value, "+.2f") if abs(value) >= 0.005 else "0.00"


def effects(values: np.ndarray, theme: Theme, height: int = 260) -> go.Figure:
    """What muting each head alone adds to the loss, [L, H] nats per token, written into cells."""
    values = np.asarray(values, np.float32)
    layers, heads = values.shape
    limit = float(np.abs(values).max()) or 1.0
    heat = {
        "type": "heatmap",
        "z": values,
        "zmin": -limit,
        "zmax": limit,
        "colorscale": scale(theme.costs),
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "text": [[_change(value) for value in row] for row in values],
        "texttemplate": "%{text}",
        "hovertemplate": "layer %{y}, head %{x} muted: loss %{z:+.4f} nats<extra></extra>",
    }
    return figure(
        [heat],
        layout(
            theme,
            title="Each head muted alone (Δ loss, nats per token)",
            x="head",
            y="layer",
            height=height,
            xaxis={**PLAIN, "tickvals": np.arange(heads)},
            yaxis={**PLAIN, "tickvals": np.arange(layers), "range": [layers - 0.5, -0.5]},
        ),
    )


def pairs(
    alike: np.ndarray, change: np.ndarray, labels: list[str], what: str, theme: Theme, height: int = 320
) -> go.Figure:
    """One dot per pair of key/value heads of a layer: how similar they are, and what merging them adds to the loss."""
    dots = {
        "type": "scatter",
        "x": np.asarray(alike, np.float32),
        "y": np.asarray(change, np.float32),
        "mode": "markers",
        "customdata": labels,
        "marker": {"size": 7, "color": theme.accent, "opacity": 0.75},
        "hovertemplate": "%{customdata}: similarity %{x:.3f}, loss %{y:+.4f} nats<extra></extra>",
    }
    return figure(
        [dots],
        layout(
            theme,
            title="Every pair merged alone (Δ loss, nats per token)",
            x=f"similarity: {what}",
            y="change of loss",
            height=height,
            hovermode="closest",
            yaxis={"zeroline": True, "zerolinecolor": theme.muted},
        ),
    )
