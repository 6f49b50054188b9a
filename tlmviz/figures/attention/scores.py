"""Where one attention weight comes from, and what the scale does to a row."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import FIXED_MARGIN, Theme, figure, layout, token_axis, token_labels
from tlmviz.figures.written import number


def score_products(products: np.ndarray, theme: Theme) -> go.Figure:
    """The terms of one score by dimension, [D], as bars, with the running sum that ends at the score."""
    products = np.asarray(products, np.float32)
    where, total = np.arange(len(products)), np.cumsum(products)
    bars = dict(
        type="bar",
        x=where,
        y=products,
        name="product",
        marker={"color": np.where(products >= 0, theme.accent, theme.warm)},
        hovertemplate="dimension %{x}: %{y:+.4f}<extra>product</extra>",
    )
    line = dict(
        type="scatter",
        x=where,
        y=total,
        mode="lines+markers",
        name="running sum",
        marker={"size": 4},
        line={"color": theme.ink, "width": 2, "shape": "hv"},
        hovertemplate="up to dimension %{x}: %{y:+.4f}<extra>running sum</extra>",
    )
    end = {
        "x": where[-1],
        "y": float(total[-1]),
        "text": f"score {number(total[-1], '+.3f')}",
        "showarrow": True,
        "arrowhead": 0,
        "arrowcolor": theme.muted,
        "ax": -36,
        "ay": -24,
    }
    return figure(
        [bars, line],
        layout(
            theme,
            title="Products that add up to the score",
            x="dimension i",
            y="share of the score",
            height=300,
            annotations=[end],
            showlegend=True,
            xaxis=FIXED_MARGIN,
            yaxis=FIXED_MARGIN,
            margin={"l": 58, "r": 8, "t": 34, "b": 42},
        ),
    )


def rescaled_row(labels: list[str], rows: dict[str, np.ndarray], theme: Theme) -> go.Figure:
    """One query's attention at two scales, {name: [S]} probabilities over the keys."""
    keys = token_labels(labels)
    bars = [
        dict(
            type="bar",
            x=np.arange(len(row)),
            y=np.asarray(row, np.float32),
            name=name,
            marker={"color": color},
            customdata=keys,
            hovertemplate="%{customdata}: %{y:.5f}<extra>" + name + "</extra>",
        )
        for (name, row), color in zip(rows.items(), (theme.muted, theme.warm))
    ]
    return figure(
        bars,
        layout(
            theme,
            title="The pinned query's weights (probability)",
            y="probability",
            height=300,
            xaxis=token_axis(keys, 40),
            barmode="group",
            showlegend=True,
        ),
    )


def scale_curves(
    factors: np.ndarray, entropy: np.ndarray, gradient: np.ndarray, chosen: float, theme: Theme
) -> go.Figure:
    """Mean row entropy (bits) and the mean size of the gradient p - y against the scale factor, [N] each."""
    lines = [
        dict(
            type="scatter",
            x=factors,
            y=np.asarray(values, np.float32),
            mode="lines",
            name=name,
            yaxis=axis,
            line={"color": color, "width": 2.5},
            hovertemplate="× %{x:.2f}: %{y:.4f}<extra>" + name + "</extra>",
        )
        for name, values, color, axis in (
            ("mean row entropy (bits)", entropy, theme.accent, "y"),
            ("mean gradient Σ|p − y|", gradient, theme.warm, "y2"),
        )
    ]
    marker = {
        "type": "line",
        "x0": chosen,
        "x1": chosen,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.muted, "width": 1.5, "dash": "dot"},
    }
    right = {
        "overlaying": "y",
        "side": "right",
        "rangemode": "tozero",
        "showgrid": False,
        "automargin": True,
        "title": {"text": "Σ|p − y|", "font": {"size": 12}},
        "tickfont": {"size": 11, "color": theme.warm},
    }
    return figure(
        lines,
        layout(
            theme,
            title="Entropy and gradient, on average over the rows",
            x="factor on 1/√d",
            y="bits",
            height=300,
            xaxis={"type": "log", "tickvals": [0.25, 0.5, 1, 2, 4], "ticktext": ["¼", "½", "1", "2", "4"]},
            yaxis={"rangemode": "tozero"},
            yaxis2=right,
            shapes=[marker],
            showlegend=True,
        ),
    )
