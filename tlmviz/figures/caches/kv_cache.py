"""Generation with a cache, walked in the browser: the map filled row by row between the keys and values that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, animated, layout, note, number, rooted, scale, ticks

if TYPE_CHECKING:
    from tlmviz.analysis.caches.decode_steps import Decoding

LONGEST = 96  # positions drawn, the last ones: more would not fit into what a page sends
# Shares of the figure's width: the query, the map with keys and values over and under it, memory and words.
Q, MAP, SIDE = (0.0, 0.065), (0.075, 0.56), (0.605, 1.0)
KEYS, ROWS, VALUES = (0.865, 1.0), (0.3, 0.82), (0.12, 0.255)  # of its height
LATENTS, LATENT_ROWS = (0.76, 1.0), (0.12, 0.715)  # where there are no values
MEMORY, WORDS = (0.58, 1.0), (0.0, 0.47)
UNIT = 1000  # bytes of a kB
CELLS = 160  # of a layer's memory at most
TAIL = 38  # letters of the text so far


def steps(
    done: Decoding, flops: list[tuple[int, int]], theme: Theme, *, title: str, height: int = 560, at: int = 1
) -> go.Figure:
    """One head's map [T, T], its keys and values, and the bytes of every layer, after the prompt and after each token.

    `flops` are each step's operations with the cache and without, N + 1 pairs, the prompt's first; `at` is the step shown first.
    """
    length = len(done.tokens)
    first = max(0, length - LONGEST)
    start = max(done.prompt, first)  # of the part that grows
    thick = max(1.0, (length - first) / 25)  # rows of the map that a single q takes, to be seen
    kept = _kept(done)
    heat, signed, outline, veil, memory, words = _styles(done, first, theme)
    fixed = [{**heat, "z": _some(done.weights[first:start, first:]), "x0": first, "y0": first}]
    fixed += [{**_signed(signed, *each), "z": _some(each[0][first:start].T), "x0": first} for each in kept]
    hover = "query %{y}, dimension %{x}: %{z:.5f}<extra></extra>"
    styles = [
        {**heat, "x0": first, "y0": start},
        {**_signed(signed, done.q, "x2", "y2", ""), "hovertemplate": hover},
    ]
    styles += [{**_signed(signed, *each), "x0": start} for each in kept]
    styles += [outline, *({**outline, "xaxis": x, "yaxis": y} for _, x, y, _ in kept)]
    styles += [{**veil, "xaxis": x, "yaxis": y} for _, x, y, _ in kept if done.window]
    styles += [memory, words]

    def moving(step: int) -> list[dict]:
        now = done.prompt + step - 1  # the last position read
        rows = slice(now, now + 1) if step else slice(first, now + 1)
        seen = max(first, now + 1 - (done.window or now + 1))
        heights = [(-0.5, values.shape[1] - 0.5) for values, *_ in kept]
        changed: list[dict] = [
            {"z": _some(done.weights[start : now + 1, first:])},
            {"z": _some(done.q[rows]), "y0": rows.start, "dy": thick if step else 1},
            *({"z": _some(values[start : now + 1].T)} for values, *_ in kept),
            _box((seen - 0.5, now + 0.5), (now - thick / 2, now + thick / 2), step > 0),
            *(_box((now - 0.5, now + 0.5), height, step > 0) for height in heights),
            *(_box((first - 0.5, seen - 0.5), height, seen > first) for height in heights if done.window),
            {"z": _memory(done, step)},
            {"text": ["<br>".join(_words(done, step, flops[: step + 1]))]},
        ]
        return [{"type": style["type"], **change} for style, change in zip(styles, changed)]

    traces = fixed + [{**style, **change} for style, change in zip(styles, moving(at))]
    drawn = _axes(done, first, theme, title, height)
    labels = [f"{step} of {done.steps}" for step in range(done.steps + 1)]
    frames = [moving(step) for step in range(done.steps + 1)]
    numbers = list(range(len(fixed), len(traces)))
    return animated(
        traces, drawn, frames, labels, numbers, at, theme, prefix="token ", duration=600, stepping=True
    )


def _kept(done: Decoding) -> list[tuple[np.ndarray, str, str, str]]:
    """What the cache keeps of a head, [T, D], with its axes: a latent is its own value."""
    keys = (done.k, "x3", "y3", "key")
    return [keys] if done.latent else [keys, (done.v, "x4", "y4", "value")]


def _styles(done: Decoding, first: int, theme: Theme) -> tuple[dict, ...]:
    """What does not change of the map, of vectors, outlines, veils, memory and words."""
    top = float(np.nanquantile(done.weights[first:, first:], 0.99)) or 1.0
    grid = {"type": "heatmap", "showscale": False, "hoverongaps": False}
    heat = {
        **grid,
        "zmin": 0,
        "zmax": top,
        "colorscale": rooted(theme.sequential),
        "hovertemplate": "query %{y}, key %{x}: probability %{z:.5f}<extra></extra>",
    }
    signed = {**grid, "colorscale": scale(theme.diverging)}
    quiet = {"type": "scatter", "hoverinfo": "skip"}
    outline = {**quiet, "mode": "lines", "line": {"color": theme.warm, "width": 1.5}}
    veil = {**quiet, "mode": "none", "fill": "toself", "fillcolor": theme.veil(0.82)}
    levels = enumerate(("rgba(0,0,0,0)", *_held(theme)))
    group = _grouped(done)
    each = done.bytes_per_token_per_layer
    size = group * each / UNIT
    what = f"a position of {each:,} B" if group == 1 else f"{group} positions of {each:,} B each"
    memory = {
        **grid,
        "zmin": 0,
        "zmax": 3,
        "colorscale": [[edge / 4, color] for at, color in levels for edge in (at, at + 1)],
        "xgap": 0.5,
        "ygap": 3,
        "x0": size / 2,
        "dx": size,
        "xaxis": "x5",
        "yaxis": "y5",
        "hovertemplate": f"layer %{{y}}, around %{{x:.2f}} kB: {what}<extra></extra>",
    }
    words = {
        **quiet,
        "x": [0],
        "y": [1],
        "mode": "text",
        "textposition": "bottom right",
        "cliponaxis": False,
        "textfont": {"size": 12.5, "color": theme.ink},
        "xaxis": "x6",
        "yaxis": "y6",
    }
    return heat, signed, outline, veil, memory, words


def _signed(style: dict, values: np.ndarray, x: str, y: str, name: str) -> dict:
    limit = float(np.quantile(np.abs(values), 0.99)) or 1.0
    what = f"{name} of %{{x}}, dimension %{{y}}: %{{z:.5f}}<extra></extra>"
    return {**style, "zmin": -limit, "zmax": limit, "xaxis": x, "yaxis": y, "hovertemplate": what}


# --- what a step shows --------------------------------------------------------------------------------


def _words(done: Decoding, step: int, flops: list[tuple[int, int]]) -> list[str]:
    cached, whole = flops[-1]
    now, used, room = done.prompt + step, int(done.occupied_bytes[step]), int(done.reserved_bytes[step])
    kept = min(now, done.window or now)
    line = "a latent (c_KV, k^R)" if done.latent else "a key and a value per KV head"
    if step:
        chance = float(done.probabilities[step - 1])
        words = [
            f"<b>Token {step} of {done.steps}</b>: position {now - 1}, probability {chance:.3f}",
            f"…{_plain(''.join(done.tokens[1 : now - 1])[-TAIL:])}<b>{_plain(done.tokens[now - 1])}</b>",
            f"New row: its query × {kept} keys. Then the query is gone",
            f"Kept: {line}, in each of {done.layers} layers",
        ]
    else:
        head = f"<b>The prompt</b>: {now} tokens, read at once"
        words = [
            head,
            "…" + _plain("".join(done.tokens[1:now])[-TAIL:]),
            f"{now} rows of the map",
            f"Kept: {now} times {line}",
        ]
    words.append(f"Cache: <b>{used:,} B</b> used of {room:,} B allocated")
    before = int(done.reserved_bytes[step - 1]) if step else room
    if room > before:
        words.append(f"Full: the buffers doubled to {done.capacity(step)} positions")
    elif done.window and now > done.window:
        words.append(
            f"Ring of {done.window}: slot {(now - 1) % done.window} overwritten, {now - done.window} forgotten"
        )
    else:
        words.append(f"Room for {done.capacity(step)} positions per layer")
    words.append(
        f"FLOP by formula: {_short(cached)} with the cache" if step else f"FLOP by formula: {_short(whole)}"
    )
    words.append(f"and {_short(whole)} without it, {_times(cached, whole)} times as many" if step else "")
    if step > 1:
        words.append(f"Tokens 1 to {step} together: {_times(*map(sum, zip(*flops[1:])))} times as many")
    return words


def _times(cached: int, whole: int) -> str:
    ratio = whole / cached
    return number(ratio, ",.0f" if ratio >= 100 else ".3g")


def _plain(text: str) -> str:
    """Text with its spaces, and without markup that Plotly would parse."""
    text = "".join(char if char.isprintable() else "�" for char in text.replace("\n", "⏎"))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _memory(done: Decoding, step: int) -> np.ndarray:
    """Each layer's buffer in cells of `_grouped` positions, [L, cells]: 1 allocated, 2 held, 3 written in this step."""
    now, count = done.prompt + step, done.prompt if step == 0 else 1
    written, rows = np.arange(now - count, now), np.zeros((done.layers, _widest(done)), np.uint8)
    for layer, (row, window) in enumerate(zip(rows, done.windows)):
        capacity = done.capacity(step, layer)
        row[:capacity] = 1
        row[: min(now, capacity)] = 2
        row[written % window if window else written] = 3
    group = _grouped(done)
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % group)))
    return padded.reshape(done.layers, -1, group).max(2)


def _widest(done: Decoding) -> int:
    """Positions that the largest buffer has room for in the end."""
    return max(done.capacity(done.steps, layer) for layer in range(done.layers))


def _grouped(done: Decoding) -> int:
    """Positions in a cell of the memory: one, or as few as leave CELLS cells."""
    return -(-_widest(done) // CELLS)


def _box(x: tuple[float, float], y: tuple[float, float], shown: bool) -> dict:
    """A rectangle's corners; nothing where it is not shown."""
    return (
        {"x": [x[0], x[1], x[1], x[0], x[0]], "y": [y[0], y[0], y[1], y[1], y[0]]}
        if shown
        else {"x": [None], "y": [None]}
    )


def _some(values: np.ndarray) -> np.ndarray:
    """Values [R, C] as float32; one empty cell where there is none, which Plotly needs."""
    return np.asarray(values, np.float32) if values.size else np.full((1, 1), np.nan, np.float32)


def _short(count: float) -> str:
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} "


# --- the frame ----------------------------------------------------------------------------------------


def _axes(done: Decoding, first: int, theme: Theme, title: str, height: int) -> dict:
    length, layers = len(done.tokens), done.layers
    span, names = [first - 0.5, length - 0.5], tuple(done.tokens[first:])
    where = np.arange(first, length)
    keys, rows = (LATENTS, LATENT_ROWS) if done.latent else (KEYS, ROWS)
    drawn = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 74, "r": 8, "t": 50, "b": 62},
        hovermode="closest",
        annotations=_headings(done, keys, rows, theme),
        bargap=0,
        xaxis={**_axis(theme, MAP, "y"), "range": span, "showticklabels": False},
        yaxis={**_axis(theme, rows, "x"), "range": span[::-1], "showticklabels": False},
    )
    named = {**ticks(where, names, 22), "showticklabels": True}
    if done.latent:
        drawn["xaxis"] |= {**named, "tickangle": -60}
        at = done.latent - 0.5
        rule = {"color": theme.muted, "width": 1, "dash": "dot"}
        drawn["shapes"] = [
            {
                "type": "line",
                "xref": "x3",
                "yref": "y3",
                "x0": span[0],
                "x1": span[1],
                "y0": at,
                "y1": at,
                "line": rule,
            }
        ]
    drawn["xaxis2"] = {**_axis(theme, Q, "y2"), "showticklabels": False}
    drawn["yaxis2"] = {**_axis(theme, rows, "x2"), "range": span[::-1], **ticks(where, names, 20)}
    for (values, *_), axis, place in zip(_kept(done), (3, 4), (keys, VALUES)):
        drawn[f"xaxis{axis}"] = {**_axis(theme, MAP, f"y{axis}"), "range": span, "showticklabels": False}
        high = [values.shape[1] - 0.5, -0.5]
        drawn[f"yaxis{axis}"] = {
            **_axis(theme, place, f"x{axis}"),
            "range": high,
            "showticklabels": False,
        }
    if not done.latent:
        drawn["xaxis4"] |= {**named, "tickangle": -60}
    reach = _widest(done) * done.bytes_per_token_per_layer / UNIT
    drawn |= _memory_axes(reach, layers, theme)
    return drawn


def _memory_axes(reach: float, layers: int, theme: Theme) -> dict[str, dict]:
    """The axes of the bytes per layer, up to `reach` kB, and of the words below them."""
    axes = {}
    axes["xaxis5"] = {
        **_axis(theme, SIDE, "y5"),
        "range": [0, reach],
        "nticks": 6,
        "ticksuffix": " kB",
        "tickfont": {"size": 10, "color": theme.muted},
    }
    axes["yaxis5"] = {
        **_axis(theme, MEMORY, "x5"),
        "range": [layers - 0.5, -0.5],
        "nticks": min(layers, 8),
        "tickformat": "d",
        "title": {"text": "layer", "font": {"size": 10.5, "color": theme.muted}, "standoff": 2},
    }
    axes["xaxis6"] = {**_axis(theme, SIDE, "y6"), "range": [0, 1], "visible": False}
    axes["yaxis6"] = {**_axis(theme, WORDS, "x6"), "range": [0, 1], "visible": False}
    return axes


def _headings(
    done: Decoding, keys: tuple[float, float], rows: tuple[float, float], theme: Theme
) -> list[dict]:
    colors = [f'<span style="color:{color}">■</span>' for color in _held(theme)]
    legend = f"bytes per layer: {colors[2]} written now {colors[1]} held {colors[0]} allocated, empty"
    name = "c_KV and, under the line, k^R: kept" if done.latent else "Kᵀ: kept"
    rows_name = "softmax(q Kᵀ), probability, √ colours: no row changes again"
    names = [
        (Q[0], rows[1], "q"),
        (MAP[0], keys[1], name),
        (MAP[0], rows[1], rows_name),
        (SIDE[0], MEMORY[1], legend),
    ]
    if not done.latent:
        names.append((MAP[0], VALUES[1], "Vᵀ: kept"))
    return [note(text, x, y, theme.muted) for x, y, text in names]


def _held(theme: Theme) -> tuple[str, str, str]:
    """Colours of memory that is allocated, held, and written now."""
    return {"light": "#d5dae1", "dark": "#38424f"}[theme.name], theme.accent, theme.warm


def _axis(theme: Theme, domain: tuple[float, float], anchor: str) -> dict:
    return {
        "domain": list(domain),
        "anchor": anchor,
        "zeroline": False,
        "showgrid": False,
        "fixedrange": True,
        "automargin": False,
        "linecolor": theme.grid,
        "showline": True,
        "mirror": True,
        "ticks": "",
        "tickfont": {"size": 9, "color": theme.muted},
    }
