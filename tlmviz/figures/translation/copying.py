"""What each written token owes to the vocabulary and what to the pointer, and the gate between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, figure, layout, token_labels

NAMED = 28  # tokens that are still named along the axis


def written_and_copied(
    written: np.ndarray,
    copied: np.ndarray,
    g: np.ndarray,
    looks: list[str],
    target: list[str],
    theme: Theme,
    *,
    title: str,
    height: int = 330,
) -> go.Figure:
    """Stacked bars of g p_vocab(y) and (1 - g) p_ptr(y), both [T], of each token of `target`, and the gate g [T] as a
    line.

    `looks` names the source token that each step looks at most.
    """
    x, names = np.arange(len(target)), token_labels(target)
    step = -(-len(target) // NAMED)
    return figure(
        _traces(np.array([written, copied, g], np.float32), names, token_labels(looks), theme),
        layout(
            theme,
            title=title,
            y="probability",
            height=height,
            barmode="stack",
            xaxis={
                "tickvals": x[::step],
                "ticktext": names[::step],
                "tickangle": -45,
                "showgrid": False,
                "zeroline": False,
                "fixedrange": True,
            },
            yaxis={"range": [0, 1.04], "fixedrange": True, "title": {"text": "probability"}},
            showlegend=True,
            legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
            margin={"l": 8, "r": 8, "t": 62, "b": 8},
            hovermode="closest",
        ),
    )


def _traces(parts: np.ndarray, names: list[str], looks: list[str], theme: Theme) -> list[dict[str, Any]]:
    """The bars and the line of `parts` [3, T]: written, copied and gate."""
    x = np.arange(len(names))
    bars = {"type": "bar", "x": x, "customdata": np.array([names, looks]).T}
    return [
        {
            **bars,
            "y": parts[0],
            "name": "written",
            "marker": {"color": theme.accent},
            "hovertemplate": "“%{customdata[0]}”: %{y:.4f} from the vocabulary<extra></extra>",
        },
        {
            **bars,
            "y": parts[1],
            "name": "copied",
            "marker": {"color": theme.warm},
            "hovertemplate": "“%{customdata[0]}”: %{y:.4f} from the pointer; looks at "
            "“%{customdata[1]}”<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": x,
            "y": parts[2],
            "name": "gate g",
            "customdata": names,
            "line": {"color": theme.ink, "width": 1.5, "dash": "dot"},
            "marker": {"size": 6},
            "hovertemplate": "“%{customdata}”: g %{y:.4f}<extra></extra>",
        },
    ]
