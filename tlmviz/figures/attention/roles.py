"""Where attention goes in a conversation: one role's share in every head, and all roles' shares in every layer."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, colorbar, figure, layout, rooted

# Safe for the common kinds of colour blindness; the template, which nobody wrote, is grey.
ROLE_COLORS = {"system": HEADS[6], "user": HEADS[1], "assistant": HEADS[2], "template": "#8b95a3", "sink": HEADS[4]}
LEAST = 200  # pixels of the heads' picture


def role_heads(shares: np.ndarray, role: str, chosen: tuple[int, int], theme: Theme, height: int = 330) -> go.Figure:
    """The share of attention that goes to one role, [L, H], a cell a head; the chosen head is framed.

    A click on a cell selects its marker: x is the head, y the layer.
    """
    layers, heads = shares.shape
    layer, head = (index.ravel() for index in np.indices(shares.shape))
    cells = dict(
        type="heatmap",
        z=shares.astype(np.float32),
        colorscale=rooted(theme.sequential),
        zmin=0,
        zmax=1,
        xgap=1,
        ygap=1,
        colorbar=colorbar(theme, tickformat=".0%"),
        hovertemplate="layer %{y}, head %{x}: %{z:.1%} to " + role + "<extra></extra>",
    )
    clicks = dict(
        type="scatter",
        mode="markers",
        x=head.astype(np.float32),
        y=layer.astype(np.float32),
        marker={"size": 14, "color": "rgba(0,0,0,0)", "symbol": "square"},
        # lists: a typed array would come back from a click as a dictionary
        customdata=np.stack((layer, head, shares.ravel()), 1).tolist(),
        hovertemplate="layer %{y}, head %{x}: %{customdata[2]:.1%} to " + role + "<extra></extra>",
    )
    row, column = chosen
    frame = dict(
        type="rect",
        x0=column - 0.5,
        x1=column + 0.5,
        y0=row - 0.5,
        y1=row + 0.5,
        line={"color": theme.warm, "width": 2},
    )
    return figure(
        [cells, clicks],
        layout(
            theme,
            title=f"Share of each head's attention that goes to: {role}",
            x="head",
            y="layer",
            height=max(LEAST, height),
            shapes=[frame],
            clickmode="event+select",
            dragmode=False,
            xaxis={"showgrid": False, "zeroline": False, "dtick": max(1, heads // 16)},
            yaxis={"showgrid": False, "zeroline": False, "autorange": "reversed", "dtick": max(1, layers // 10)},
        ),
    )


def role_layers(shares: dict[str, np.ndarray], theme: Theme) -> go.Figure:
    """Every layer's attention by the role it goes to, {role: [L]} shares that sum to 1, as stacked bars."""
    layers = len(next(iter(shares.values())))
    bars = [
        dict(
            type="bar",
            name=role,
            x=np.arange(len(share), dtype=np.float32),
            y=share.astype(np.float32),
            marker={"color": ROLE_COLORS[role], "line": {"width": 0}},
            hovertemplate="layer %{x}: %{y:.1%} to " + role + "<extra></extra>",
        )
        for role, share in shares.items()
    ]
    return figure(
        bars,
        layout(
            theme,
            title="Mean over heads: where each layer's attention goes",
            x="layer",
            y="share of attention",
            height=300,
            barmode="stack",
            bargap=0.12,
            showlegend=True,
            legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0, "traceorder": "normal"},
            yaxis={"range": [0, 1], "tickformat": ".0%"},
            xaxis={"dtick": max(1, layers // 15), "range": [-0.6, layers - 0.4]},
        ),
    )
