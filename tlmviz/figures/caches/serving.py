"""A server's steps, walked in the browser: its pages, block tables, texts, and the batch along time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Layer, Theme, figure, layout, note, walked

from .serving_pages import MEMORY, MIDDLE, OCCUPIED, PIXELS, Grid, levels, mix, slot_colors

if TYPE_CHECKING:
    from tlmviz.decoding.serving_records import RequestSnapshot, Step

# More steps than that, or than fit into a page's first picture, are drawn every second, third ... one.
FRAMES, BYTES = 160, 900_000
# Of the figure's height: the captions, and up to two timelines. Pages, tables and texts lie between.
CAPTIONS, LINES = (0.87, 1.0), ((0.235, 0.385), (0.0, 0.15))
STATES = {"waiting": 1, "prefill": 2, "decode": 3, "preempted": 4, "padding": 5}


def server(
    runs: dict[str, Sequence[Step]],
    policy: str,
    page: int,
    captions: list[tuple[str, ...]],
    texts: list[list[str]],
    names: list[str],
    headings: dict[str, str],
    theme: Theme,
    *,
    title: str,
    height: int = 580,
) -> go.Figure:
    """The memory of the run of `policy`, its block tables and texts [steps][requests], and the timelines of all runs.

    `captions` are lines for each step, `names` the requests' labels, `headings` a title for each timeline.
    """
    steps = runs[policy]
    grid = Grid.fitting(page, len(steps[0].owners))
    drawn_steps = range(0, len(steps), -(-len(steps) // _frames(grid, len(names))))
    requests, deep = (len(names), max(1, max(len(snapshot.table) for step in steps for snapshot in step.snapshots)))
    middle = MEMORY[1] + 0.05
    tables = (middle, middle + min(0.2, max(0.05, 0.021 * deep)))
    letters = int((1 - tables[1]) * PIXELS[0] / 6.9)  # that fit beside the tables
    layers = [
        _captions(captions, theme),
        *_pages(steps, grid, names, theme),
        _tables(steps, requests, deep, tables, theme),
        _texts(steps, texts, letters, theme),
        *(_cursor(n, len(run), requests, theme) for n, run in enumerate(runs.values())),
    ]
    static = [grid.numbers(theme), *(_timeline(run, names, n, theme) for n, run in enumerate(runs.values()))]
    base = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 26, "r": 6, "t": 30, "b": 62},
        hovermode="closest",
        annotations=_headings(theme, tables, headings, policy),
    )
    return walked(
        [*static, *layers],
        drawn_steps,
        [f"{number} of {len(steps) - 1}" for number in drawn_steps],
        {**base, **_axes(theme, grid, names, deep, tables), **_line_axes(theme, runs, names)},
        _opening_step(steps) // drawn_steps.step,
        theme,
        prefix="step ",
        duration=350,
        stepping=True,
    )


def slots_in_use(
    allocated: np.ndarray, occupied: np.ndarray, slots: int, longest: int, title: str, theme: Theme
) -> go.Figure:
    """Slots allocated and occupied at each step [S]; between them lies the waste. `longest` steps are on the axis."""
    where = np.arange(len(allocated))
    style = {"type": "scatter", "x": where, "mode": "lines", "fill": "tozeroy"}
    traces = [
        {
            **style,
            "y": np.asarray(values, np.float32),
            "name": name,
            "fillcolor": fill,
            "line": {"color": color, "width": 1, "shape": "hv"},
            "hovertemplate": "step %{x}: %{y:,} slots " + name + "<extra></extra>",
        }
        for name, values, color, fill in (
            ("allocated", allocated, theme.warm, mix(theme.warm, theme, 0.6)),
            ("occupied", occupied, theme.accent, theme.accent),
        )
    ]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="step",
            y="slots",
            height=230,
            showlegend=True,
            margin={"l": 8, "r": 8, "t": 52, "b": 8},
            xaxis={"range": [0, longest], "showgrid": False},
            yaxis={"range": [0, slots], "nticks": 5},
        ),
    )


def _frames(grid: Grid, requests: int) -> int:
    """How many steps are drawn: a slot takes a byte and a third, a page its hover, a request its lines."""
    size = 1.4 * grid.rows * grid.columns * (grid.page + 1) + 30 * grid.pages + 200 * requests + 1500
    return max(2, min(FRAMES, int(BYTES / size)))


def _opening_step(steps: Sequence[Step]) -> int:
    """The step to show first: the copy among most pages, else the first preemption, else the step with most pages in
    use."""
    in_use = [sum(map(bool, step.owners)) for step in steps]
    for kind, choose in (("copy", lambda n: in_use[n]), ("preempt", lambda n: -n)):
        events = [n for n, step in enumerate(steps) if any(event.kind == kind for event in step.events)]
        if events:
            return max(events, key=choose)
    return max(range(len(steps)), key=in_use.__getitem__)


def _cell(step: Step, request: int, logical: int) -> int:
    """0 no page, 1 a page of its own, 2 a shared page, 3 a page that was copied in this step."""
    table = step.snapshots[request].table
    if logical >= len(table):
        return 0
    copies = [event.pages[1] for event in step.events if event.kind == "copy" and event.request == request]
    return 3 if table[logical] in copies else 1 + (len(step.owners[table[logical]]) > 1)


def _timeline(run: Sequence[Step], names: list[str], number: int, theme: Theme) -> dict[str, Any]:
    """The state of each request at each step, a row per request."""
    codes = np.array([[STATES.get(step.snapshots[i].state, 0) for step in run] for i in range(len(names))], np.uint8)
    hover = [[f"{name} {_activity(step.snapshots[i])}" for step in run] for i, name in enumerate(names)]
    return {
        "type": "heatmap",
        "z": codes,
        "zmin": -0.5,
        "zmax": 5.5,
        "colorscale": levels(_state_colors(theme)),
        "showscale": False,
        "xgap": 0 if len(run) > 150 else 1,
        "ygap": 1,
        "text": hover,
        "hovertemplate": "step %{x}, %{text}<extra></extra>",
        "xaxis": f"x{5 + number}",
        "yaxis": f"y{5 + number}",
    }


def _text_line(snapshot: RequestSnapshot, text: str, letters: int) -> str:
    """What a request does and the end of what it wrote, as text that holds no markup of its own."""
    activity = _activity(snapshot)
    plain = "".join(char if char.isprintable() else "⏎" if char == "\n" else "�" for char in text)
    room = max(8, letters - len(activity) - 1)
    plain = plain if len(plain) <= room else "…" + plain[1 - room :]
    return f"<b>{activity}</b> " + plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _activity(snapshot: RequestSnapshot) -> str:
    if snapshot.state == "prefill":
        return f"reads {snapshot.num_computed_tokens}" + (
            f", {snapshot.num_cached_tokens} cached" if snapshot.num_cached_tokens else ""
        )
    return {"absent": "", "decode": f"writes token {snapshot.output_tokens}", "waiting": "waits"}.get(
        snapshot.state, snapshot.state
    )


# Text in the figure: no hover, and nothing cut at the axis.
TEXT = {"type": "scatter", "mode": "text", "hoverinfo": "skip", "cliponaxis": False}


def _captions(lines: list[tuple[str, ...]], theme: Theme) -> Layer:
    """The caption of each step, above everything."""
    static = {
        **TEXT,
        "x": [0.023],
        "y": [1],
        "textposition": "bottom right",
        "textfont": {"size": 12, "color": theme.ink},
        "xaxis": "x",
        "yaxis": "y",
    }
    return Layer(static, lambda number: {"type": "scatter", "text": ["<br>".join(lines[number])]})


def _pages(steps: Sequence[Step], grid: Grid, names: list[str], theme: Theme) -> list[Layer]:
    """The slots of all pages, the owners of each page, and beside shared pages their number."""
    place = {"y": np.arange(grid.rows), "showscale": False, "xaxis": "x2", "yaxis": "y2"}
    slots = {
        **place,
        "x": grid.edges,
        "zmin": -0.5,
        "zmax": OCCUPIED + len(HEADS) - 0.5,
        "colorscale": levels(slot_colors(theme)),
        "hoverinfo": "skip",
        "ygap": 3,
        "xgap": 1 if grid.label < 8 else 0,
    }
    owners = {
        **place,
        "x": np.arange(grid.columns + 1) * grid.wide,
        "z": grid.cells(),
        "hoverongaps": False,
        "colorscale": levels(["rgba(0,0,0,0)"] * 2),
        "customdata": np.arange(grid.rows * grid.columns).reshape(grid.rows, -1).tolist(),
        "hovertemplate": "page %{customdata}: %{text}<extra></extra>",
    }
    marks = {
        **TEXT,
        "textposition": "middle left",
        "textfont": {"size": 10 if grid.tall > 12 else 8, "color": theme.warm},
        "xaxis": "x2",
        "yaxis": "y2",
    }

    def shared(number: int) -> dict[str, Any]:
        counts = {n: len(owners) for n, owners in enumerate(steps[number].owners) if len(owners) > 1}
        places = [grid.place(n) for n in counts]
        return {
            "type": "scatter",
            "x": [x + grid.label - 0.1 for x, _ in places],
            "y": [y for _, y in places],
            "text": [f"×{count}" if grid.tall > 8 else "" for count in counts.values()],
        }

    return [
        Layer(slots, lambda number: {"type": "heatmap", "z": grid.slots(steps[number])}),
        Layer(owners, lambda number: {"type": "heatmap", "text": grid.owners(steps[number], names)}),
        Layer(marks, shared),
    ]


def _tables(steps: Sequence[Step], requests: int, deep: int, tables: tuple[float, float], theme: Theme) -> Layer:
    """The block tables: a row per request, a column per logical page."""
    narrow = PIXELS[0] * (tables[1] - tables[0]) / deep
    cells = ["rgba(0,0,0,0)", theme.missing, mix(theme.accent, theme, 0.65), mix(theme.warm, theme, 0.35)]
    static = {
        "x": np.arange(deep),
        "y": np.arange(requests),
        "zmin": -0.5,
        "zmax": 3.5,
        "colorscale": levels(cells),
        "showscale": False,
        "xgap": 1,
        "ygap": 2,
        "texttemplate": "%{text}" if narrow > 11 else "",
        "textfont": {"size": 10 if narrow > 15 else 8, "color": theme.ink},
        "hovertemplate": "logical page %{x} → physical page %{text}<extra></extra>",
        "xaxis": "x3",
        "yaxis": "y3",
    }

    def moving(number: int) -> dict[str, Any]:
        step = steps[number]
        codes = np.array([[_cell(step, i, n) for n in range(deep)] for i in range(requests)], np.uint8)
        pages = [[*snapshot.table, *[""] * (deep - len(snapshot.table))] for snapshot in step.snapshots]
        return {"type": "heatmap", "z": codes, "text": pages}

    return Layer(static, moving)


def _texts(steps: Sequence[Step], texts: list[list[str]], letters: int, theme: Theme) -> Layer:
    """What each request does and the end of its text, in `letters` characters."""
    requests = len(steps[0].snapshots)
    static = {
        **TEXT,
        "x": [0] * requests,
        "y": np.arange(requests),
        "textposition": "middle right",
        "textfont": {"size": 11, "color": theme.ink},
        "xaxis": "x4",
        "yaxis": "y4",
    }

    def moving(number: int) -> dict[str, Any]:
        rows = zip(steps[number].snapshots, texts[number])
        return {"type": "scatter", "text": [_text_line(snapshot, text, letters) for snapshot, text in rows]}

    return Layer(static, moving)


def _cursor(number: int, length: int, requests: int, theme: Theme) -> Layer:
    """The step on the timeline of run `number`, which has `length` steps."""
    static = {
        "mode": "lines",
        "line": {"color": theme.ink, "width": 1.5},
        "y": [-0.6, requests - 0.4],
        "hoverinfo": "skip",
        "xaxis": f"x{5 + number}",
        "yaxis": f"y{5 + number}",
    }
    return Layer(static, lambda step: {"type": "scatter", "x": [step if step < length else None] * 2})


def _axes(
    theme: Theme, grid: Grid, names: list[str], deep: int, tables: tuple[float, float]
) -> dict[str, dict[str, Any]]:
    """Axes of the captions, the pages, the block tables and the texts."""
    down = [len(names) - 0.5, -0.5]
    hidden = {"visible": False, "fixedrange": True}
    tall = max(grid.rows, (MIDDLE[1] - MIDDLE[0]) * PIXELS[1] / 34)  # no page is drawn higher than 34 pixels
    labels = {"tickvals": np.arange(len(names)), "ticktext": _labels(names)}
    return {
        "xaxis": {**hidden, "domain": [0, 1], "range": [0, 1]},
        "yaxis": {**hidden, "domain": list(CAPTIONS), "range": [0, 1]},
        "xaxis2": {**hidden, "domain": list(MEMORY), "anchor": "y2", "range": [0, grid.columns * grid.wide]},
        "yaxis2": {**hidden, "domain": list(MIDDLE), "anchor": "x2", "range": [tall - 0.5, -0.5]},
        "xaxis3": {**_axis(theme, tables, "y3"), "range": [-0.5, deep - 0.5], "showticklabels": False},
        "yaxis3": {**_axis(theme, MIDDLE, "x3"), "range": down, **labels, "tickfont": {"size": 11}},
        "xaxis4": {**hidden, "domain": [tables[1] + 0.008, 1], "anchor": "y4", "range": [0, 1]},
        "yaxis4": {**hidden, "domain": list(MIDDLE), "anchor": "x4", "range": down},
    }


def _line_axes(theme: Theme, runs: dict[str, Sequence[Step]], names: list[str]) -> dict[str, dict[str, Any]]:
    """Axes of the timelines, which share one scale of steps."""
    longest, axes = max(map(len, runs.values())), {}
    labels = {"tickvals": np.arange(len(names)), "ticktext": _labels(names), "tickfont": {"size": 9}}
    for number, (_, where) in enumerate(zip(runs, LINES)):
        last = number == len(runs) - 1
        axes[f"xaxis{5 + number}"] = {
            **_axis(theme, (0.03, 1.0), f"y{5 + number}"),
            "range": [-0.6, longest - 0.4],
            "showticklabels": last,
            "ticklabelstandoff": -2,
        }
        axes[f"yaxis{5 + number}"] = {
            **_axis(theme, where, f"x{5 + number}"),
            "range": [len(names) - 0.4, -0.6],
            **labels,
        }
    return axes


def _labels(names: list[str]) -> list[str]:
    return [f'<span style="color:{HEADS[i % len(HEADS)]}">■</span> {name}' for i, name in enumerate(names)]


def _headings(theme: Theme, tables: tuple[float, float], headings: dict[str, str], policy: str) -> list[dict[str, Any]]:
    states = zip(list(STATES), _state_colors(theme)[1:])
    legend = "  ".join(f'<span style="color:{color}">■</span> {state}' for state, color in states)
    top = MIDDLE[1] + 0.005
    notes = [
        note("Physical pages (pale: allocated, still empty; stripes and ×: shared)", MEMORY[0], top, theme.muted),
        note("Block tables: logical page 0, 1, … → physical", tables[0], top, theme.muted),
        note(legend, 1.0, LINES[0][1] + 0.005, theme.muted, anchor=("right", "bottom")),
    ]
    for (name, heading), where in zip(headings.items(), LINES):
        text = f"<b>{heading}</b>" if name == policy else heading
        notes.append(note(text, MEMORY[0], where[1] + 0.005, theme.muted))
    return notes


def _state_colors(theme: Theme) -> list[str]:
    """By code: nothing, then as in STATES."""
    blues = theme.sequential
    return ["rgba(0,0,0,0)", theme.grid, blues[6], blues[3], theme.warm, theme.muted]


def _axis(theme: Theme, domain: tuple[float, float], anchor: str) -> dict[str, Any]:
    return {
        "domain": list(domain),
        "anchor": anchor,
        "zeroline": False,
        "showgrid": False,
        "fixedrange": True,
        "ticks": "",
        "linecolor": theme.grid,
        "showline": True,
        "mirror": True,
        "tickfont": {"size": 9, "color": theme.muted},
    }
