"""A figure whose frames are walked in the browser by a slider and a play button, without a rerun of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .chart import figure
from .theme import Theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

NO_TRANSITION = {"duration": 0}


@dataclass(frozen=True)
class Layer:
    """One trace of an animation: what all frames share, and what the frame of a step replaces."""

    static: dict[str, Any]
    moving: Callable[[int], dict[str, Any]]

    def at(self, step: int) -> dict[str, Any]:
        """The whole trace at one step."""
        return {**self.static, **self.moving(step)}


def walked(
    traces: Sequence[dict[str, Any] | Layer],
    steps: Sequence[int],
    labels: list[str],
    layout: dict[str, Any],
    start: int,
    theme: Theme,
    **options: Any,
) -> go.Figure:
    """`traces` in the order they are drawn, of which layers move: a frame for each of `steps`, number `start` first.

    `options` are those of `animated`.
    """
    layers = [trace for trace in traces if isinstance(trace, Layer)]
    return animated(
        [trace.at(steps[start]) if isinstance(trace, Layer) else trace for trace in traces],
        layout,
        [[layer.moving(step) for layer in layers] for step in steps],
        labels,
        [number for number, trace in enumerate(traces) if isinstance(trace, Layer)],
        start,
        theme,
        **options,
    )


def animated(
    traces: list[dict[str, Any]],
    layout: dict[str, Any],
    frames: list[list[dict[str, Any]]],
    labels: list[str],
    moving: list[int],
    start: int,
    theme: Theme,
    *,
    prefix: str = "",
    duration: int = 250,
    redraw: bool = True,
    stepping: bool = False,
    left: float | None = None,
    layouts: list[dict[str, Any]] | None = None,
) -> go.Figure:
    """A figure with a slider over `frames`, each a list of traces that replace those numbered in `moving`.

    Frame `start` is shown first: `traces` must already look like it. `labels` name the frames behind `prefix`;
    `duration` is a frame's time in milliseconds while it plays; `redraw` is needed where a frame changes more
    than points of scatter traces. `stepping` adds buttons for one step back and one step on; `left` is where the slider
    begins, as a share of the width; `layouts` are what each frame changes of the layout.
    """
    still = {"mode": "immediate", "frame": {"duration": 0, "redraw": redraw}, "transition": NO_TRANSITION}
    left = left if left is not None else 0.17 if stepping else 0.1
    buttons = [_buttons(theme, duration, redraw, still)] * (len(frames) + 1)
    named: list[dict[str, Any]] = [
        {"name": str(number), "data": data, "traces": moving} for number, data in enumerate(frames)
    ]
    if stepping:  # a button of Plotly leads to one fixed frame, so every frame brings its own
        buttons = [_leading_from(number, buttons[0], len(frames), still) for number in range(len(frames))]
        for number, frame in enumerate(named):
            frame["layout"] = {"updatemenus": [buttons[number]]}
    for frame, change in zip(named, layouts or ()):
        frame["layout"] = {**frame.get("layout", {}), **change}
    controls = {"sliders": [_slider(labels, start, theme, prefix, left, still)], "updatemenus": [buttons[start]]}
    return figure(traces, {**layout, **controls}, named)


def _slider(
    labels: list[str], start: int, theme: Theme, prefix: str, left: float, still: dict[str, Any]
) -> dict[str, Any]:
    return {
        "active": start,
        "steps": [
            {"method": "animate", "label": label, "args": [[str(number)], still]} for number, label in enumerate(labels)
        ],
        "x": left,
        "len": round(1 - left, 3),
        "y": 0,
        "pad": {"t": 14, "b": 0},
        "ticklen": 0,
        "minorticklen": 0,
        "currentvalue": {"prefix": prefix, "xanchor": "left", "font": {"size": 12, "color": theme.ink}, "offset": 4},
        "font": {"size": 1, "color": "rgba(0,0,0,0)"},
        "bgcolor": theme.grid,
        "activebgcolor": theme.accent,
        "bordercolor": theme.muted,
        "borderwidth": 1,
        "transition": NO_TRANSITION,
    }


def _buttons(theme: Theme, duration: int, redraw: bool, still: dict[str, Any]) -> dict[str, Any]:
    play = {"fromcurrent": True, "frame": {"duration": duration, "redraw": redraw}, "transition": NO_TRANSITION}
    pause = {**still, "frame": {"duration": 0, "redraw": False}}
    return {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 20, "r": 6},
        "bordercolor": theme.muted,
        "bgcolor": "rgba(0,0,0,0)",
        "font": {"size": 12, "color": theme.muted},
        "buttons": [
            {"label": "▶", "method": "animate", "args": [None, play]},
            {"label": "❚❚", "method": "animate", "args": [[None], pause]},
        ],
    }


def _leading_from(number: int, buttons: dict[str, Any], count: int, still: dict[str, Any]) -> dict[str, Any]:
    """The buttons with two more, which lead to the frames before and after frame `number` of `count`."""
    steps = [
        {"method": "animate", "label": label, "args": [[str(min(max(to, 0), count - 1))], still]}
        for to, label in ((number - 1, "‹"), (number + 1, "›"))
    ]
    return {**buttons, "buttons": [*buttons["buttons"], *steps]}
