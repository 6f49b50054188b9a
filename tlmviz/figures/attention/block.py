"""The inside of a block: a step's matrices, one cell of a product, activation curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, frame, layout, row_frame, scale, ticks, token_label, token_labels
from tlmviz.figures.written import number

if TYPE_CHECKING:
    from tlmviz.analysis.attention.matrices import Panel


def matrix(
    panel: Panel, theme: Theme, *, marked: int | None = None, height: int = 360, side_by_side: int = 1
) -> go.Figure:
    """A heatmap of one matrix; `marked` frames one row. Signed values are centred on zero; grey cells are hidden.

    `side_by_side` is the number of such pictures in a row, which decides how many ticks fit.
    """
    values = np.asarray(panel.values, np.float32)
    rows, cols = np.asarray(panel.rows), np.asarray(panel.cols)
    probability, limit = panel.kind == "probability", panel.end
    heatmap = dict(
        type="heatmap",
        z=values,
        x=cols,
        y=rows,
        hoverongaps=False,
        zmin=0 if probability else -limit,
        zmax=limit,
        colorscale=scale(theme.sequential if probability else theme.diverging),
        colorbar=colorbar(theme, xpad=2, ypad=0),
        hovertemplate=f"{panel.y} %{{y}}, {panel.x} %{{x}}: %{{z:.5f}}<extra></extra>",
    )
    half = _half_row(rows)
    edges = float(rows[0] - half), float(rows[-1] + half)
    plain = {"showgrid": False, "zeroline": False}
    named = sum(map(bool, panel.col_labels)) > 6 and max(map(len, panel.col_labels)) > 2
    hidden = {"plot_bgcolor": theme.missing} if np.isnan(values).any() else {}
    ends = f"colours to {'' if probability else '±'}{limit:.2g}"
    detail = " · ".join(filter(None, (panel.shape, panel.note, ends)))
    return figure(
        [heatmap],
        _titled(
            panel.name,
            detail,
            layout(
                theme,
                title="",
                x=panel.x,
                height=height,
                shapes=_outlines(panel, rows, marked, theme),
                **hidden,
                xaxis={**plain, **ticks(cols, panel.col_labels, 60 // side_by_side), "tickangle": -60 if named else 0},
                yaxis={**plain, **ticks(rows, panel.row_labels, (height - 90) // 13), "range": [edges[1], edges[0]]},
            ),
        ),
    )


def _half_row(rows: np.ndarray) -> float:
    """Half the height of a cell, in the unit of the rows' positions."""
    return (rows[1] - rows[0]) / 2 if len(rows) > 1 else 0.5


def _outlines(panel: Panel, rows: np.ndarray, marked: int | None, theme: Theme) -> list[dict[str, Any]]:
    """Rules between the parts of a matrix, the frame around one of them, and the frame around the row nearest to
    `marked`."""
    half = _half_row(rows)
    top, bottom = float(rows[0] - half), float(rows[-1] + half)
    shapes: list[dict[str, Any]] = [
        {
            "type": "line",
            "x0": edge - 0.5,
            "x1": edge - 0.5,
            "y0": top,
            "y1": bottom,
            "line": {"color": theme.muted, "width": 1},
        }
        for edge in panel.edges
    ]
    if panel.outline:
        left, right = (edge - 0.5 for edge in panel.outline)
        shapes.append(frame((left, right), (top, bottom), theme.ink, 2.5))
    if marked is not None:
        nearest = float(rows[np.abs(rows - marked).argmin()])
        shapes.append(row_frame((nearest - half, nearest + half), theme.accent, 1.5))
    return shapes


def _titled(name: str, detail: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """A layout with a two-line title: what it is, and its shape in small print."""
    small = f'<br><span style="font-size:11px">{token_label(detail, 90)}</span>' if detail else ""
    drawn["title"].update(text=token_label(name, 60) + small, y=1, pad={"t": 13})
    drawn["margin"] = {**drawn["margin"], "t": 46}
    return drawn


def product_cell(
    left: np.ndarray,
    right: np.ndarray,
    theme: Theme,
    *,
    names: tuple[str, str],
    inner: str,
    labels: tuple[str, ...] = (),
) -> go.Figure:
    """One number of a matrix product: the two vectors, [K] each, their products as bars, and the running sum."""
    left, right = np.asarray(left, np.float32), np.asarray(right, np.float32)
    products, where = left * right, np.arange(len(left))
    total = np.cumsum(products, dtype=np.float64).astype(np.float32)
    strips = [
        _strip(values, name, axis, inner, theme)
        for name, values, axis in ((names[0], left, "y2"), (names[1], right, "y3"))
    ]
    drawn = layout(
        theme,
        title="",
        x=inner,
        height=330,
        annotations=[_sum_note(int(where[-1]), float(total[-1]), theme)],
        bargap=0.1,
        xaxis={"showgrid": False, "zeroline": False, "anchor": "y", **(ticks(where, labels, 30) if labels else {})},
        yaxis={"domain": [0, 0.74], "zerolinecolor": theme.muted, "nticks": 6},
    )
    for axis, name, domain in (("yaxis2", names[0], [0.9, 1]), ("yaxis3", names[1], [0.78, 0.88])):
        drawn[axis] = {
            **drawn["yaxis"],
            "domain": domain,
            "tickvals": [0],
            "ticktext": [token_label(name, 20)],
            "showgrid": False,
            "zeroline": False,
        }
    if labels:
        drawn["xaxis"]["tickangle"] = -60
    return figure(
        [*strips, _product_bars(products, inner, theme), _running_sum(total, inner, theme)],
        _titled("Row × column: products (bars) and their running sum (line)", "", drawn),
    )


def _sum_note(x: int, total: float, theme: Theme) -> dict[str, Any]:
    """The whole sum, written at the end of the running one."""
    return {
        "x": x,
        "y": total,
        "text": f"Σ {number(total, '+.4f')}",
        "showarrow": True,
        "arrowhead": 0,
        "arrowcolor": theme.muted,
        "ax": -44,
        "ay": -20 if total >= 0 else 20,
        "bgcolor": theme.missing,
    }


def _running_sum(total: np.ndarray, inner: str, theme: Theme) -> dict[str, Any]:
    """The sum of the products up to each place."""
    return dict(
        type="scatter",
        x=np.arange(len(total)),
        y=total,
        mode="lines",
        name="running sum",
        line={"color": theme.ink, "width": 1.8, "shape": "hv"},
        hovertemplate=f"up to {inner} %{{x}}: %{{y:+.5f}}<extra>running sum</extra>",
    )


def _product_bars(products: np.ndarray, inner: str, theme: Theme) -> dict[str, Any]:
    """The products, a bar each, coloured by sign."""
    return dict(
        type="bar",
        x=np.arange(len(products)),
        y=products,
        name="product",
        marker={"color": np.where(products >= 0, theme.accent, theme.warm), "line": {"width": 0}},
        hovertemplate=f"{inner} %{{x}}: %{{y:+.5f}}<extra>product</extra>",
    )


def _strip(values: np.ndarray, name: str, axis: str, inner: str, theme: Theme) -> dict[str, Any]:
    """One of the two vectors, [K], as a row of cells; colours symmetric about zero."""
    reach = float(np.abs(values).max()) or 1.0
    return dict(
        type="heatmap",
        z=values[None],
        x=np.arange(len(values)),
        y=[0],
        yaxis=axis,
        colorscale=scale(theme.diverging),
        showscale=False,
        zmin=-reach,
        zmax=reach,
        hovertemplate=f"{name}, {inner} %{{x}}: %{{z:.5f}}<extra></extra>",
    )


def activation_curves(
    own: str, inputs: np.ndarray, curves: dict[str, np.ndarray], counts: np.ndarray, centres: np.ndarray, theme: Theme
) -> go.Figure:
    """Activation functions over their input, the model's own thick, above a histogram of the text's real inputs."""
    bars = dict(
        type="bar",
        x=centres,
        y=np.asarray(counts, np.float32),
        name="inputs of this text",
        yaxis="y2",
        marker={"color": theme.muted, "opacity": 0.35, "line": {"width": 0}},
        hovertemplate="around %{x:.2f}: %{y:.0f} inputs<extra></extra>",
    )
    ceiling = 2.5 * max(1, int(np.max(counts)))
    return figure(
        [bars, *_activation_lines(own, inputs, curves, theme)],
        _titled(
            "Activation",
            "over a histogram of this text's inputs to it",
            layout(
                theme,
                title="",
                x="input",
                y="output",
                height=360,
                bargap=0,
                showlegend=True,
                legend={"x": 0.02, "xanchor": "left", "y": 0.98, "yanchor": "top", "bgcolor": "rgba(0,0,0,0)"},
                yaxis2={
                    "overlaying": "y",
                    "side": "right",
                    "visible": False,
                    "range": [0, ceiling],
                    "fixedrange": True,
                },
            ),
        ),
    )


def _activation_lines(
    own: str, inputs: np.ndarray, curves: dict[str, np.ndarray], theme: Theme
) -> list[dict[str, Any]]:
    """One line per activation function; the model's own is thick and solid."""
    colors = {"ReLU": theme.muted, "GELU": theme.accent, "SiLU": theme.warm, "GELU by tanh": theme.accent}
    dashes = {"ReLU": "dash", "GELU": "dot", "SiLU": "dashdot", "GELU by tanh": "dot"}
    return [
        dict(
            type="scatter",
            x=np.asarray(inputs, np.float32),
            y=np.asarray(values, np.float32),
            mode="lines",
            line={
                "color": colors[name],
                "width": 3.5 if name == own else 1.5,
                "dash": "solid" if name == own else dashes[name],
            },
            name=f"{name} (this model)" if name == own else name,
            hovertemplate=f"{name}(%{{x:.2f}}) = %{{y:.4f}}<extra></extra>",
        )
        for name, values in curves.items()
    ]


def token_losses(tokens: list[str], losses: np.ndarray, theme: Theme) -> go.Figure:
    """Each next token's loss in nats, [T - 1], above the token it was charged for."""
    losses, labels = np.asarray(losses, np.float32), token_labels(tokens[1:])
    where = np.arange(1, len(losses) + 1)
    bars = dict(
        type="bar",
        x=where,
        y=losses,
        customdata=labels,
        marker={"color": theme.accent},
        hovertemplate="%{customdata}: %{y:.4f} nats<extra></extra>",
    )
    mean = float(losses.mean()) if len(losses) else 0.0
    line = {
        "type": "line",
        "xref": "x domain",
        "x0": 0,
        "x1": 1,
        "y0": mean,
        "y1": mean,
        "line": {"color": theme.warm, "width": 1.5, "dash": "dot"},
    }
    label = {
        "xref": "x domain",
        "x": 0,
        "y": mean,
        "text": f"mean {mean:.2f}",
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"color": theme.warm},
    }
    return figure(
        [bars],
        _titled(
            "Loss of each token, −log p (nats)",
            f"[T−1={len(losses)}]",
            layout(
                theme,
                title="",
                x="the token that came",
                y="nats",
                height=360,
                shapes=[line],
                annotations=[label],
                xaxis={**ticks(where, tuple(tokens[1:]), 60), "tickangle": -60, "showgrid": False},
            ),
        ),
    )
