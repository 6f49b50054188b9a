"""The planes of RoPE as clocks: a query's and a key's hand in each, what each adds to the score, moved by a slider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import KEY, QUERY, Theme, animated, faded, layout, note, turn
from tlmviz.figures.written import number

if TYPE_CHECKING:
    from tlmviz.analysis.positions.rope_planes import Clocks

# Of the figure's width: dials, and bars above the scores along the slider; of its height: bars, scores.
DIALS, RIGHT = (0.0, 0.49), (0.53, 0.985)
BARS, CURVE = (0.38, 1.0), (0.03, 0.23)
NAMED = 24  # planes at most whose wavelengths fit below their dials; the hover has them all
ASPECT = 1.2  # width over height of the room for the dials
RADIUS, WIDE, HIGH = 0.4, 1.1, 1.1  # of a dial, and of its cell
ARC = np.linspace(0, 1, 7)[:, None]
MOVING = {"both": "query and key", "query": "the query alone", "key": "the key alone"}


def clocks(shown: Clocks, theme: Theme, *, title: str, moves: str = "both", height: int = 510) -> go.Figure:
    """Every plane as a dial with two hands, bars of what each adds, their sum, and the score at every step of the slider.

    Hands are as long as the vectors in their plane: the query's longest and the key's longest reach the rim. The wedge
    between them is blue where the plane adds to the score and orange where it takes away.
    """
    planes, at = len(shown.frequency), shown.home
    columns = columns_for(planes)
    row, column = np.divmod(np.arange(planes), columns)
    centre = np.stack((column * WIDE, -row * HIGH), 1)
    hands = [_Hands(shown.q, centre), _Hands(shown.k, centre)]
    still = [_rims(centre, theme), _numbers(centre, theme), _curve(shown, moves, theme)]
    styles = _styles(centre, [hand.share for hand in hands], theme)
    first = [_joined(data, style) for data, style in zip(_state(shown, hands, at, moves), styles)]
    low, high = (
        min(0.0, shown.parts.min(), shown.scores.min()),
        max(0.0, shown.parts.max(), shown.scores.max()),
    )
    pad = 0.06 * (high - low) or 1.0
    drawn = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 6, "r": 12, "t": 52, "b": 60},
        hovermode="closest",
        bargap=0.2,
        annotations=_headings(moves, theme),
        dragmode=False,
        shapes=[_home(shown, moves, theme)],
        xaxis=_axis(
            theme, DIALS, "y", range=[-0.5 * WIDE, (columns - 0.5) * WIDE], visible=False, constrain="domain"
        ),
        yaxis=_axis(
            theme, (0, 1), "x", range=[-(row[-1] + 0.56) * HIGH, 0.47 * HIGH], visible=False, scaleanchor="x"
        ),
        xaxis2=_axis(
            theme,
            RIGHT,
            "y2",
            range=[low - 2 * pad, high + 2 * pad],
            zeroline=True,
            zerolinecolor=theme.muted,
            nticks=6,
        ),
        yaxis2=_axis(theme, BARS, "x2", range=[planes + 0.9, -0.6], **_bar_ticks(planes)),
        xaxis3=_axis(theme, RIGHT, "y3", nticks=6, tickformat=",d"),
        yaxis3=_axis(
            theme, CURVE, "x3", range=_span(shown.scores), nticks=4, zeroline=True, zerolinecolor=theme.grid
        ),
    )
    steps = range(len(shown.parts))
    return animated(
        [*still, *first],
        drawn,
        [_state(shown, hands, step, moves) for step in steps],
        [_label(shown, step, moves) for step in steps],
        list(range(len(still), len(still) + len(first))),
        at,
        theme,
        duration=150,
    )


def columns_for(planes: int) -> int:
    """How many dials side by side make them largest in the room there is."""
    return max(range(1, planes + 1), key=lambda n: min(ASPECT / (n * WIDE), 1 / (-(-planes // n) * HIGH)))


class _Hands:
    """One vector's hands at every step: tips around each centre, angles, and lengths as shares of the longest."""

    def __init__(self, x: np.ndarray, centre: np.ndarray):
        self.length = np.linalg.norm(x[0], axis=-1)  # turning keeps it
        self.share = self.length / (self.length.max() or 1.0)
        self.angle = np.arctan2(x[..., 1], x[..., 0])  # [N, P]
        self.centre = centre

    def arms(self, step: int) -> np.ndarray:
        """From centre to tip, [P, 2, 2]."""
        angle = self.angle[step]
        reach = RADIUS * self.share[:, None] * np.stack((np.cos(angle), np.sin(angle)), -1)
        return np.stack((self.centre, self.centre + reach), 1)


def _state(shown: Clocks, hands: list[_Hands], step: int, moves: str) -> list[dict]:
    """What changes from step to step, in the order of `_styles`."""
    query, key = hands
    parts, score = shown.parts[step], float(shown.scores[step])
    between = (query.angle[step] - key.angle[step] + np.pi) % (
        2 * np.pi
    ) - np.pi  # from the key to the query, the short way
    around = key.angle[step] + between * ARC  # [arc, P]
    reach = RADIUS * np.sqrt(query.share * key.share)
    rim = query.centre + reach[:, None] * np.stack((np.cos(around), np.sin(around)), -1)  # [arc, P, 2]
    wedge = np.concatenate((query.centre[None], rim, query.centre[None])).transpose(1, 0, 2)
    hover = [
        f"plane {j}: {shown.frequency[j]:.4g} rad per token, {shown.wavelength[j]:,.4g} tokens a turn<br>"
        f"|q| {query.length[j]:.4f}, |k| {key.length[j]:.4f}, angle {number(np.degrees(between[j]), '+.2f')}°, adds "
        f"{number(parts[j], '+.6f')}"
        for j in range(len(parts))
    ]
    many = len(parts) > NAMED
    signed = [number(part, "+.2f") for part in parts]
    names = (
        signed if many else [f"λ {turn(wave)}  <b>{part}</b>" for wave, part in zip(shown.wavelength, signed)]
    )
    return [
        {"type": "scatter", **_lines(np.where((parts > 0)[:, None, None], wedge, query.centre[:, None]))},
        {"type": "scatter", **_lines(np.where((parts > 0)[:, None, None], query.centre[:, None], wedge))},
        {"type": "scatter", **_lines(key.arms(step))},
        {"type": "scatter", **_lines(query.arms(step))},
        {"type": "scatter", "text": names},
        {"type": "scatter", "hovertext": hover},
        {"type": "bar", "x": np.append(parts, np.float32(score)), "marker": {"color": _signs(parts)}},
        {
            "type": "scatter",
            "x": [score],
            "text": [f" <b>{number(score, '+.3f')}</b> "],
            "textposition": "middle right" if score >= 0 else "middle left",
        },
        {"type": "scatter", "x": [int(_moved(shown, moves)[step])], "y": [score]},
    ]


def _styles(centre: np.ndarray, shares: list[np.ndarray], theme: Theme) -> list[dict[str, Any]]:
    planes = len(centre)
    many, below = planes > NAMED, (centre - [0, RADIUS + 0.13]).astype(np.float32)
    wedge = {"mode": "lines", "fill": "toself", "line": {"width": 0}, "hoverinfo": "skip"}
    hand, mark = {"mode": "lines+markers", "hoverinfo": "skip"}, {"opacity": 1, "line": {"width": 0}}
    # No mark at the centre, a larger one at a longer hand's tip, none at the break.
    tips = [np.stack((0 * share, 4 + 7 * share, 0 * share), 1).ravel().astype(np.float32) for share in shares]
    colours = [theme.warm, theme.warm, theme.accent, theme.accent, theme.ink, theme.ink]
    signs = [
        [stop, colour] for stop, colour in zip((0, 1 / 3, 1 / 3, 0.8, 0.8, 1), colours)
    ]  # -1 and 0, 1, 2
    bars, curve = {"xaxis": "x2", "yaxis": "y2"}, {"xaxis": "x3", "yaxis": "y3"}
    return [
        {**wedge, "fillcolor": faded(theme.accent, 0.3)},
        {**wedge, "fillcolor": faded(theme.warm, 0.3)},
        {
            **hand,
            "line": {"color": KEY, "width": 2},
            "marker": {**mark, "symbol": "circle", "size": 0.7 * tips[1], "color": KEY},
        },
        {
            **hand,
            "line": {"color": QUERY, "width": 2.5},
            "marker": {**mark, "symbol": "arrow", "angleref": "previous", "size": tips[0], "color": QUERY},
        },
        {
            "mode": "text",
            "x": below[:, 0],
            "y": below[:, 1],
            "textfont": {"size": 9 if many else 11, "color": theme.ink},
            "hoverinfo": "skip",
            "cliponaxis": False,
        },
        {
            "mode": "markers",
            "x": centre[:, 0].astype(np.float32),
            "y": centre[:, 1].astype(np.float32),
            "hovertemplate": "%{hovertext}<extra></extra>",
            "marker": {"size": 50, "color": "rgba(0,0,0,0)", "line": {"width": 0}},
        },
        {
            **bars,
            "y": np.append(np.arange(planes), planes + 0.3),
            "orientation": "h",
            "marker": {"cmin": -1, "cmax": 2, "colorscale": signs, "line": {"width": 0}},
            "customdata": [*(f"plane {j}" for j in range(planes)), "sum"],
            "hovertemplate": "%{customdata}: %{x:+.6f}<extra></extra>",
        },
        {
            **bars,
            "mode": "text",
            "y": [planes + 0.3],
            "hoverinfo": "skip",
            "cliponaxis": False,
            "textfont": {"color": theme.ink},
        },
        {**curve, "mode": "markers", "marker": {"size": 10, "color": theme.warm}, "hoverinfo": "skip"},
    ]


def _joined(data: dict, style: dict) -> dict:
    """A first state in its style; both may say something of the markers."""
    marker = {**style.get("marker", {}), **data.get("marker", {})}
    return {**data, **style, **({"marker": marker} if marker else {})}


def _lines(points: np.ndarray) -> dict[str, np.ndarray]:
    """P lines or polygons, [P, N, 2], as one trace, broken between them."""
    broken = (
        np.concatenate((points, np.full((len(points), 1, 2), np.nan)), 1).reshape(-1, 2).astype(np.float32)
    )
    return {"x": broken[:, 0], "y": broken[:, 1]}


def _rims(centre: np.ndarray, theme: Theme) -> dict[str, Any]:
    angle = np.linspace(0, 2 * np.pi, 41)
    rim = centre[:, None] + RADIUS * np.stack((np.cos(angle), np.sin(angle)), -1)
    line = {"color": theme.grid, "width": 1.5}
    return {"type": "scatter", **_lines(rim), "mode": "lines", "line": line, "hoverinfo": "skip"}


def _numbers(centre: np.ndarray, theme: Theme) -> dict[str, Any]:
    corner = (centre + [-RADIUS - 0.02, RADIUS - 0.06]).astype(np.float32)
    return {
        "type": "scatter",
        "mode": "text",
        "x": corner[:, 0],
        "y": corner[:, 1],
        "text": [str(j) for j in range(len(centre))],
        "textfont": {"size": 10 if len(centre) <= 32 else 8, "color": theme.muted},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def _curve(shown: Clocks, moves: str, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": _moved(shown, moves).astype(np.int32),
        "y": shown.scores.astype(np.float32),
        "xaxis": "x3",
        "yaxis": "y3",
        "line": {"color": theme.accent, "width": 1.8},
        "hovertemplate": "at %{x:,}: score %{y:+.6f}<extra></extra>",
    }


def _home(shown: Clocks, moves: str, theme: Theme) -> dict[str, Any]:
    """A rule at the true position."""
    x = int(_moved(shown, moves)[shown.home])
    return {
        "type": "line",
        "xref": "x3",
        "yref": "y3 domain",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.muted, "width": 1, "dash": "dot"},
    }


def _moved(shown: Clocks, moves: str) -> np.ndarray:
    """Positions of what the slider moves, [N]: of the query where both move."""
    return shown.positions[:, 1 if moves == "key" else 0]


def _label(shown: Clocks, step: int, moves: str) -> str:
    query, key = (int(at) for at in shown.positions[step])
    moved = _moved(shown, moves)
    offset = int(moved[step] - moved[shown.home])
    apart = (
        f"{query - key:,} apart"
        if query >= key
        else f"{key - query:,} apart, the key later: a causal model hides it"
    )
    return f"{MOVING[moves]} {offset:+,}: query at {query:,}, key at {key:,}, {apart}".replace("-", "−")


def _headings(moves: str, theme: Theme) -> list[dict]:
    moved = "key" if moves == "key" else "query"
    names = (
        (
            DIALS[0],
            1.0,
            f'<span style="color:{QUERY}"><b>➤ query</b></span>  <span style="color:{KEY}"><b>● key</b></span>  '
            "one dial per plane; λ: tokens per turn; bold: what it adds",
        ),
        (RIGHT[0], BARS[1], "what each plane adds, |q||k| cos φ / √d, and the sum"),
        (
            RIGHT[0],
            CURVE[1],
            f"score by position of the {moved}" + (", the key moving along" if moves == "both" else ""),
        ),
    )
    return [note(name, x, y, theme.muted) for x, y, name in names]


def _bar_ticks(planes: int) -> dict[str, Any]:
    shown = list(range(0, planes, max(1, planes // 16)))
    return {"tickvals": [*shown, planes + 0.3], "ticktext": [*map(str, shown), "sum"]}


def _span(scores: np.ndarray) -> list[float]:
    """Zero and all scores with room around them: rounding must not look like change."""
    low, high = min(0.0, float(scores.min())), max(0.0, float(scores.max()))
    pad = 0.15 * (high - low) or 1.0
    return [low - pad, high + pad]


def _signs(parts: np.ndarray) -> np.ndarray:
    """-1 and 1 by sign, and 2 for the sum: places on the bars' colour scale."""
    return np.append(np.where(parts > 0, 1, -1), 2).astype(np.float32)


def _axis(theme: Theme, domain: tuple[float, float], anchor: str, **more: Any) -> dict[str, Any]:
    return {
        "domain": list(domain),
        "anchor": anchor,
        "zeroline": False,
        "showgrid": False,
        "fixedrange": True,
        "ticks": "",
        "tickfont": {"size": 10, "color": theme.muted},
        **more,
    }
