"""What a model with experts has and what one token meets of it, beside a dense twin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout, note
from ..theme import Theme


@dataclass(frozen=True)
class Panel:
    """One quantity of all models: its title, the values, how they are written, and one drawn within each, if any."""

    title: str
    values: Sequence[float]
    write: str
    within: Sequence[float] | None = None
    least: float = 0.0


def cost_bars(names: Sequence[str], panels: Sequence[Panel], theme: Theme) -> go.Figure:
    """Bars of several quantities, side by side, a row for each model. A filled bar lies within an outlined one."""
    gap = 0.04
    width = (1 - gap * (len(panels) - 1)) / len(panels)
    base = layout(theme, title="", height=66 + 46 * len(names))
    traces, axes, notes = [], {}, []
    for number, panel in enumerate(panels, start=1):
        end = "" if number == 1 else str(number)
        left = (number - 1) * (width + gap)
        axes[f"xaxis{end}"] = {
            **base["xaxis"],
            "domain": [left, left + width],
            "anchor": f"y{end}",
            "range": [panel.least, panel.least + 1.02 * (max(panel.values) - panel.least)],
            "nticks": 4,
        }
        axes[f"yaxis{end}"] = {
            **base["yaxis"],
            "anchor": f"x{end}",
            "autorange": "reversed",
            "showticklabels": number == 1,
        }
        traces += _bars(names, panel, end, theme)
        notes.append(note(panel.title, left, 1.0, theme.ink, 12))
    margin = {"l": 8, "r": 8, "t": 28, "b": 8}
    return figure(
        traces, {**base, **axes, "annotations": notes, "margin": margin, "barmode": "overlay", "bargap": 0.35}
    )


def _bars(names: Sequence[str], panel: Panel, end: str, theme: Theme) -> list[dict[str, Any]]:
    bar = {
        "type": "bar",
        "orientation": "h",
        "y": list(names),
        "xaxis": f"x{end}",
        "yaxis": f"y{end}",
        "hovertemplate": f"%{{y}}: %{{text}}<extra>{panel.title}</extra>",
        "textposition": "inside",
        "insidetextanchor": "start",
        "base": panel.least,
    }
    drawn = []
    outline = panel.within is not None
    drawn.append(
        {
            **bar,
            "x": np.asarray(panel.values, np.float32) - panel.least,
            "text": [format(value, panel.write) for value in panel.values],
            "marker": {
                "color": "rgba(0,0,0,0)" if outline else theme.accent,
                "line": {"color": theme.accent, "width": 1.5},
            },
            **({"textposition": "none"} if outline else {}),
        }
    )
    if panel.within is not None:
        texts = [
            f"{format(part, panel.write)} of {format(whole, panel.write)}"
            for part, whole in zip(panel.within, panel.values)
        ]
        drawn.append(
            {
                **bar,
                "x": np.asarray(panel.within, np.float32),
                "text": texts,
                "marker": {"color": theme.accent},
                "textposition": "auto",
            }
        )
    return drawn
