"""A search tree that grows step by step in the browser: depth along x, beams along y, no two branches crossing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from tlmviz.figures import HEADS, Layer, Theme, layout, token_label, walked

if TYPE_CHECKING:
    from tlmviz.analysis.translation.beam_tree import Level
    from tlmviz.decoding.records import Node

WINDOW = 13  # steps beside each other; a longer tree is panned, and follows the step that is shown
HOME = 0.3  # of its way to the middle that each step goes: else the best branches end at the upper edge
CURVE = 7  # points of a branch
READABLE = 34  # pixels of a row in which there is room for numbers
SAID, ABOVE, BELOW = 38, 30, 62  # pixels for the words and the axis, the title, and the slider
SPOTS = "node"  # what light up together where one is pointed at, in this tree and beside it
STATES = ("kept", "finished", "sampled")  # nodes that have a row of their own


def places(nodes: list[Node]) -> tuple[np.ndarray, int]:
    """Where each node lies, [n] rows from the top, and how many rows there are.

    At each depth, nodes stand in the order of their parents, better ones first, a row apart and as near to their
    parents as that allows. Dropped ones share their parent's row.
    """
    rows = np.zeros(len(nodes), np.float32)
    by_depth: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        if node.state in STATES and number:
            by_depth.setdefault(node.depth, []).append(number)
    count = max(map(len, by_depth.values()), default=1)
    rows[0] = (count - 1) / 2
    for depth in sorted(by_depth):
        some = sorted(by_depth[depth], key=lambda i: (rows[nodes[i].parent], nodes[i].parent, -nodes[i].total))
        wanted = np.array([rows[nodes[i].parent] for i in some])
        rows[some] = _apart(wanted + HOME * ((count - 1) / 2 - wanted), count)
    dropped: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        if node.state == "pruned":
            dropped.setdefault(node.parent, []).append(number)
    for parent, some in dropped.items():
        some.sort(key=lambda i: -nodes[i].logp)
        rows[some] = rows[parent] + np.linspace(-0.34, 0.34, len(some) + 2)[1:-1]
    return rows, count


def tree(
    nodes: list[Node],
    names: list[str],
    hover: list[str],
    theme: Theme,
    *,
    title: str,
    words: list[str],
    ranks: dict[int, str],
    ways: dict[str, list[int]],
    faded: set[int],
    numbers: bool | None = None,
    at: int | None = None,
    window: int = WINDOW,
) -> go.Figure:
    """The tree after every step; `words` [steps] say what happened in each. Step `at` (the last) is shown first.

    `ranks` labels finished nodes, `ways` are lines laid over the tree (name -> nodes from the root; the first is the
    winner's), `faded` are kept nodes of which nothing was left in the end. `numbers` writes each node's probability
    under it: by default where there is room. `window` steps stand beside each other. Clicked points carry their node as
    customdata.
    """
    rows, count = places(nodes)
    steps = max(1, len(words))
    high = max(250, min(420, 66 * count), 25 * count)
    per_row = high / (count + 0.4)
    numbers = per_row >= READABLE if numbers is None else numbers
    at = steps - 1 if at is None else at
    layers = [
        *_depths(nodes, rows, min(0.34, 13 / per_row), names, hover, ranks, faded, numbers, theme),
        *(_way(rows, nodes, way, name, number, theme) for number, (name, way) in enumerate(ways.items())),
        _living(nodes, rows, theme),
        Layer(_step_words(theme), lambda step: {"type": "scatter", "text": [words[step] if words else ""]}),
    ]
    drawn = _axes(steps, count, high, title, theme)
    drawn["xaxis"]["range"] = _window(at + 1, steps, window)
    follow = [{"xaxis": {"range": _window(step + 1, steps, window)}} for step in range(steps)]
    return walked(
        layers,
        range(steps),
        [f"{step + 1} of {steps}" for step in range(steps)],
        drawn,
        at,
        theme,
        prefix="step ",
        duration=700,
        stepping=True,
        layouts=follow if steps > window else None,
    )


def level_words(level: Level, vocabulary: int) -> str:
    """One step of a search in a sentence: its candidates, how many lived on, and the log P that decided."""
    beams = "1 beam" if level.beams == 1 else f"{level.beams} beams"
    words = f"<b>Step {level.depth}</b>: {beams} × {vocabulary:,} tokens = {level.beams * vocabulary:,} candidates; "
    words += f"{level.kept} kept" + (f", {level.finished} finished" if level.finished else "")
    if np.isfinite(level.worst_kept):
        words += f"; worst kept log P {level.worst_kept:.2f}"
    if np.isfinite(level.best_dropped):
        words += f", best dropped {level.best_dropped:.2f}"
    return words.replace(" -", " −")


# --- traces -----------------------------------------------------------------------------------------


def _by_depth(nodes: list[Node]) -> list[list[int]]:
    """The nodes of each depth, by number."""
    by_depth: list[list[int]] = [[] for _ in range(max(node.depth for node in nodes) + 1)]
    for number, node in enumerate(nodes):
        by_depth[node.depth].append(number)
    return by_depth


def _depths(
    nodes: list[Node],
    rows: np.ndarray,
    thick: float,
    names: list[str],
    hover: list[str],
    ranks: dict[int, str],
    faded: set[int],
    numbers: bool,
    theme: Theme,
) -> list[dict[str, Any] | Layer]:
    """Branches, dropped candidates and nodes, of which each step shows those up to its depth.

    A trace for each depth would be hidden and shown: six times as much to send, and to draw at every step. So nodes
    stand in the order of their depths, a step takes as many from the front, and a cover in the page's colour lies over
    the rest of the branches.
    """
    order = sorted(range(len(nodes)), key=lambda i: nodes[i].depth)
    lasting = [i for i in order if nodes[i].state in STATES or i == 0]
    dropped = [i for i in order if nodes[i].state == "pruned"]
    layers: list[dict[str, Any] | Layer] = [_ribbons(nodes, rows, lasting[1:], thick, theme)] if lasting[1:] else []
    if dropped:
        layers.append(_stubs(nodes, rows, dropped, theme))
    layers.append(_cover(nodes, rows, theme))
    if dropped:
        layers.append(_growing(_dots(dropped, hover, theme), nodes, rows, dropped, -0.7))
    layers.append(_growing(_nodes(nodes, lasting, names, hover, ranks, faded, theme), nodes, rows, lasting))
    if numbers and lasting[1:]:
        layers.append(_growing(_numbers(nodes, lasting[1:], theme), nodes, rows, lasting[1:]))
    return layers


def _growing(style: dict[str, Any], nodes: list[Node], rows: np.ndarray, some: list[int], beside: float = 0.0) -> Layer:
    """Some nodes in the order of their depths, as points of which each step shows those that are there by then.

    Words and colours have their full length in all steps: Plotly takes as many as there are points.
    """
    depths = np.array([nodes[i].depth for i in some])
    x, y = _f(depths + np.float32(beside)), _f(rows[some])

    def moving(step: int) -> dict[str, Any]:
        count = int(np.searchsorted(depths, step + 1, side="right"))
        return {"type": "scatter", "x": x[:count], "y": y[:count]}

    return Layer(style, moving)


def _cover(nodes: list[Node], rows: np.ndarray, theme: Theme) -> Layer:
    """What lies over the branches behind the step that is shown."""
    right, low, high = max(node.depth for node in nodes) + 1.0, float(rows.min()) - 1, float(rows.max()) + 1
    style = {"mode": "none", "fill": "toself", "fillcolor": theme.page, "hoverinfo": "skip", "showlegend": False}
    y = _f(np.array([low, low, high, high]))

    def moving(step: int) -> dict[str, Any]:
        left = min(step + 1.0, right)
        return {"type": "scatter", "x": _f(np.array([left, right, right, left])), "y": y}

    return Layer(style, moving)


def _ribbons(nodes: list[Node], rows: np.ndarray, some: list[int], thick: float, theme: Theme) -> dict[str, Any]:
    """Branches to some nodes: as thick as the token is probable."""
    t = np.linspace(0, 1, CURVE, dtype=np.float32)
    x: list[ArrayLike] = []
    y: list[ArrayLike] = []
    for i in some:
        half = max(0.012, thick * float(np.exp(nodes[i].logp))) / 2
        middle = _bend(rows[nodes[i].parent], rows[i], t)
        along = nodes[i].depth - 1 + t
        x += [along, along[::-1], [np.nan]]
        y += [middle - half, middle[::-1] + half, [np.nan]]
    color = {"light": "rgba(63,136,194,0.38)", "dark": "rgba(70,140,200,0.5)"}[theme.name]
    return {
        "type": "scatter",
        "x": _f(np.concatenate(x)),
        "y": _f(np.concatenate(y)),
        "mode": "none",
        "fill": "toself",
        "fillcolor": color,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _stubs(nodes: list[Node], rows: np.ndarray, some: list[int], theme: Theme) -> dict[str, Any]:
    """Short grey lines to candidates that did not live on."""
    start = np.array([nodes[i].depth - 1 for i in some], np.float32)
    gaps = np.full(len(some), np.nan, np.float32)
    parents = rows[[nodes[i].parent for i in some]]
    return {
        "type": "scatter",
        "x": _f(np.stack([start, start + 0.3, gaps], 1).ravel()),
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
        "y": _f(np.stack([parents, rows[some], gaps], 1).ravel()),
        "line": {"color": theme.grid, "width": 1},
    }


def _dots(some: list[int], hover: list[str], theme: Theme) -> dict[str, Any]:
    """The style of the ends of these lines."""
    return {
        "showlegend": False,
        "mode": "markers",
        "customdata": some,
        "meta": {"spots": SPOTS},
        "text": [hover[i] for i in some],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"size": 4.5, "color": theme.muted, "opacity": 0.6},
        "unselected": {"marker": {"opacity": 0.6}},
    }


def _nodes(
    nodes: list[Node],
    some: list[int],
    names: list[str],
    hover: list[str],
    ranks: dict[int, str],
    faded: set[int],
    theme: Theme,
) -> dict[str, Any]:
    """The style of nodes that have a row of their own, with their tokens."""
    texts, fills, symbols = [], [], []
    for i in some:
        node, name = nodes[i], token_label(names[i], 12)
        if node.state == "finished":
            name = f"<b>{ranks.get(i, '')}</b>"
        elif i in faded:
            name = f'<span style="color:{theme.muted}">{name}</span>'
        texts.append(name)
        symbols.append({"finished": "square", "sampled": "diamond"}.get(node.state, "circle"))
        empty = i in faded or node.state == "sampled"
        fills.append(theme.page if empty else theme.accent)
    return {
        "mode": "markers+text",
        "text": texts,
        "textposition": "top center",
        "textfont": {"size": 11, "color": theme.ink},
        "customdata": some,
        "meta": {"spots": SPOTS},
        "cliponaxis": True,
        "hovertext": [hover[i] for i in some],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
        "marker": {
            "symbol": symbols,
            "size": 8,
            "color": fills,
            "opacity": 1,
            "line": {"width": 1.5, "color": theme.accent},
        },
        # A click selects: nothing may fade because of it.
        "unselected": {"marker": {"opacity": 1}, "textfont": {"color": theme.ink}},
    }


def _numbers(nodes: list[Node], some: list[int], theme: Theme) -> dict[str, Any]:
    """The style of the probabilities under nodes: a word above its node, its number below.

    Points that are not seen keep the numbers as far from the nodes as the words are.
    """
    return {
        "mode": "markers+text",
        "marker": {"size": 9, "opacity": 0},
        "text": [f"{p:.2f}" if p >= 0.005 else "&lt;.01" for p in (np.exp(nodes[i].logp) for i in some)],
        "textposition": "bottom center",
        "textfont": {"size": 9, "color": theme.muted},
        "cliponaxis": True,
        "hoverinfo": "skip",
        "showlegend": False,
        "unselected": {"marker": {"opacity": 0}, "textfont": {"color": theme.muted}},
    }


def _way(rows: np.ndarray, nodes: list[Node], way: list[int], name: str, number: int, theme: Theme) -> Layer:
    """A line along some nodes, which grows by one depth in each step."""
    t = np.linspace(0, 1, CURVE + 1, dtype=np.float32)[1:]
    x, y = [np.zeros(1, np.float32)], [rows[:1]]
    for before, after in zip(way, way[1:]):
        x.append(nodes[before].depth + t)
        y.append(_bend(rows[before], rows[after], t))
    color = theme.warm if number == 0 else HEADS[(2, 3, 6, 7, 1, 5)[(number - 1) % 6]]
    style = {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "hoverinfo": "skip",
        "showlegend": True,
        "line": {"color": color, "width": 2.2, "dash": "solid" if number == 0 else "dot"},
    }
    whole_x, whole_y = _f(np.concatenate(x)), _f(np.concatenate(y))

    def moving(step: int) -> dict[str, Any]:
        end = (step + 1) * CURVE + 1
        return {"type": "scatter", "x": whole_x[:end], "y": whole_y[:end]}

    return Layer(style, moving)


def _living(nodes: list[Node], rows: np.ndarray, theme: Theme) -> Layer:
    """Rings around the nodes that live on after a step."""
    style = {
        "type": "scatter",
        "mode": "markers",
        "hoverinfo": "skip",
        "showlegend": False,
        "marker": {"symbol": "circle-open", "size": 15, "color": theme.warm, "line": {"width": 1.5}, "opacity": 1},
        "unselected": {"marker": {"opacity": 1}},
    }
    by_depth = _by_depth(nodes)

    def moving(step: int) -> dict[str, Any]:
        depth = step + 1
        now = [i for i in by_depth[depth] if nodes[i].state == "kept"] if depth < len(by_depth) else []
        return {
            "type": "scatter",
            "x": _f(depth for _ in now) if now else [None],
            "y": _f(rows[now]) if now else [None],
        }

    return Layer(style, moving)


def _step_words(theme: Theme) -> dict[str, Any]:
    """The style of the words that say what happened in a step."""
    return {
        "type": "scatter",
        "x": [0],
        "y": [1],
        "mode": "text",
        "textposition": "bottom right",
        "cliponaxis": False,
        "textfont": {"size": 12, "color": theme.ink},
        "xaxis": "x2",
        "yaxis": "y2",
        "hoverinfo": "skip",
        "showlegend": False,
    }


# --- the frame --------------------------------------------------------------------------------------


def _axes(steps: int, count: int, high: float, title: str, theme: Theme) -> dict[str, Any]:
    muted = theme.muted
    drawn = layout(
        theme,
        title=title,
        height=int(high + SAID + ABOVE + BELOW),
        margin={"l": 8, "r": 8, "t": ABOVE, "b": BELOW},
        hovermode="closest",
        dragmode="pan",
        showlegend=True,
        xaxis={
            "side": "top",
            "dtick": 1,
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
            "ticks": "",
            "title": {"text": ""},
            "tickfont": {"size": 9, "color": muted},
            "anchor": "y",
        },
        yaxis={
            "range": [count - 0.35, -0.95],
            "visible": False,
            "automargin": False,
            "fixedrange": count < 12,
            "anchor": "x",
            "domain": [0, high / (high + SAID)],
        },
    )
    drawn["title"] |= {"y": 1, "pad": {"t": 8}}  # a share of the height would meet the words in a tall tree
    drawn["legend"] = {
        "orientation": "h",
        "x": 1,
        "xanchor": "right",
        "y": 1.0,
        "yref": "container",
        "yanchor": "top",
        "font": {"size": 11},
        "bgcolor": "rgba(0,0,0,0)",
    }
    hidden = {"range": [0, 1], "visible": False, "fixedrange": True}
    drawn["xaxis2"] = {**hidden, "domain": [0, 1], "anchor": "y2"}
    drawn["yaxis2"] = {**hidden, "domain": [1 - 20 / (high + SAID), 1], "anchor": "x2"}
    return drawn


def _window(depth: int, steps: int, window: int) -> list[float]:
    """The range of x in which a step is seen."""
    wide = min(steps, window)
    last = min(steps, max(wide, depth + 1))
    return [last - wide - (0.45 if last == wide else 0.2), last + 0.6]


def _apart(wanted: np.ndarray, count: int) -> np.ndarray:
    """Places nearest to `wanted` (ascending) in the least-squares sense that are one row apart, within `count` rows.

    Pool-adjacent-violators on wanted minus index; the bounds keep the distances.
    """
    index = np.arange(len(wanted))
    pools: list[list[float]] = []  # mean, size
    for value in wanted - index:
        pools.append([float(value), 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, size = pools.pop()
            pools[-1] = [(pools[-1][0] * pools[-1][1] + mean * size) / (pools[-1][1] + size), pools[-1][1] + size]
    means = np.repeat([mean for mean, _ in pools], [int(size) for _, size in pools])
    return np.clip(means, 0, count - len(wanted)) + index


def _bend(start: float, end: float, t: np.ndarray) -> np.ndarray:
    return start + (end - start) * t * t * (3 - 2 * t)


def _f(values: np.ndarray | Iterable[float]) -> np.ndarray:
    return np.fromiter(values, np.float32) if not isinstance(values, np.ndarray) else values.astype(np.float32)
