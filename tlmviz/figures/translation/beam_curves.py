"""What surrounds a search tree: both length penalties with the texts on them, scores against alpha, counts, widths."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, figure, layout, token_label

NAMES = {"gnmt": "((5 + |Y|) / 6)<sup>α</sup>", "power": "|Y|<sup>α</sup>"}
CUT = 44  # letters of a text
_BELOW = {"orientation": "h", "x": 0, "xanchor": "left", "y": -0.24, "yanchor": "top", "font": {"size": 11}}
_INSIDE = {"font": {"size": 10}, "bgcolor": "rgba(0,0,0,0)"}  # of a legend over the curves


def penalty(lengths: np.ndarray, alpha: float | np.ndarray, kind: str) -> np.ndarray:
    """lp(Y) of some lengths, as `tlmviz.decoding.penalties.length_penalty`."""
    return ((5 + lengths) / 6) ** alpha if kind == "gnmt" else np.maximum(1, lengths) ** alpha


def length_penalties(
    counts: np.ndarray, logps: np.ndarray, texts: list[str], alpha: float, kind: str, theme: Theme, height: int = 300
) -> go.Figure:
    """Both penalties against |Y| (004 Figure 1) with every text found on them, [n] each; those of `kind` divide log
    P."""
    counts, logps = np.asarray(counts, np.float32), np.asarray(logps, np.float32)
    lengths = np.arange(1, max(20, int(counts.max()) + 5), dtype=np.float32)
    traces: list[dict[str, Any]] = []
    for each, color in (("gnmt", theme.accent), ("power", theme.warm)):
        traces.append(
            {
                "type": "scatter",
                "x": lengths,
                "y": penalty(lengths, alpha, each),
                "mode": "lines",
                "name": NAMES[each],
                "line": {"color": color, "width": 2, "dash": "solid" if each == kind else "dot"},
                "hovertemplate": "|Y| = %{x}: lp = %{y:.4f}<extra></extra>",
            }
        )
        values = penalty(counts, alpha, each)
        traces.append(
            {
                "type": "scatter",
                "x": counts,
                "y": values,
                "mode": "markers",
                "showlegend": False,
                "marker": {"color": color, "size": 8, "opacity": 0.85 if each == kind else 0.4},
                "text": [
                    f"{_short(text)}<br>|Y| = {count:.0f}, lp = {lp:.4f}<br>log P {logp:.4f} / lp = {logp / lp:.4f}"
                    for text, count, lp, logp in zip(texts, counts, values, logps)
                ],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    drawn = layout(
        theme,
        title=f"The two length penalties at α = {alpha:g}, and the texts found",
        x="tokens of the output, |Y|",
        y="lp(Y)",
        height=height,
        showlegend=True,
    )
    drawn["legend"] = _BELOW
    return figure(traces, drawn)


def crossings(
    counts: np.ndarray,
    logps: np.ndarray,
    rest: np.ndarray,
    texts: list[str],
    alpha: float,
    kind: str,
    theme: Theme,
    height: int = 300,
) -> go.Figure:
    """Each text's score against alpha: where lines cross at the top, another text wins. `rest` [n]: coverage and end
    terms."""
    alphas = np.linspace(0, 2, 41, dtype=np.float32)
    scores = np.stack(
        [
            logp / penalty(np.asarray(count, np.float32), alphas, kind) + extra
            for count, logp, extra in zip(counts, logps, rest)
        ]
    )
    winners = scores.argmax(0)
    traces = []
    for i in np.argsort(-scores.max(1)):
        wins = i in winners
        color = HEADS[sorted(set(winners.tolist())).index(i) % len(HEADS)] if wins else theme.muted
        traces.append(
            {
                "type": "scatter",
                "x": alphas,
                "y": scores[i].astype(np.float32),
                "mode": "lines",
                "name": _short(texts[i], 30),
                "showlegend": bool(wins),
                "line": {"color": color, "width": 2.2 if wins else 0.8},
                "opacity": 1 if wins else 0.5,
                "hovertemplate": f"{_short(texts[i])} ({int(counts[i])} tokens)"
                "<br>α = %{x:.2f}: score %{y:.4f}<extra></extra>",
            }
        )
    best = scores.max(0)
    drawn = layout(
        theme,
        title="Who wins at which length weight α (coloured: the texts that win somewhere)",
        x="length weight α",
        y="score (nats)",
        height=height,
        showlegend=True,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
        yaxis={"range": [float(best.min()) - 1.5, float(best.max()) + 0.5]},
        shapes=[
            {
                "type": "line",
                "x0": alpha,
                "x1": alpha,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": theme.muted, "width": 1, "dash": "dot"},
            }
        ],
    )
    drawn["legend"] = {"x": 1, "xanchor": "right", "y": 0.02, "yanchor": "bottom", **_INSIDE}
    return figure(traces, drawn)


def counts_of_paths(
    vocabulary: int,
    width: int,
    longest: int,
    exact: dict[int, int],
    beam: dict[int, int],
    theme: Theme,
    height: int = 320,
) -> go.Figure:
    """N^T, W N T, and what was really looked at, against T. `exact` and `beam` map T to measured candidates."""
    t = np.arange(1, longest + 1)
    # Powers of the vocabulary pass the largest float at T = 80.
    lines = {
        f"all texts, N<sup>T</sup>, N = {vocabulary:,}": (
            10.0 ** np.minimum(t * np.log10(vocabulary), 300),
            theme.warm,
        ),
        f"beam of {width}, W·N·T": (width * float(vocabulary) * t, theme.accent),
    }
    traces = [
        {
            "type": "scatter",
            "x": t,
            "y": values,
            "mode": "lines+markers",
            "name": name,
            "line": {"color": color, "width": 2},
            "marker": {"size": 5},
            "hovertemplate": f"T = %{{x}}: {name} = %{{y:.3e}}<extra></extra>",
        }
        for name, (values, color) in lines.items()
    ]
    for name, measured, symbol, color in (
        ("this beam, counted", beam, "circle-open", theme.accent),
        ("branch and bound, counted", exact, "diamond", HEADS[2]),
    ):
        traces.append(
            {
                "type": "scatter",
                "x": list(measured),
                "y": list(measured.values()),
                "mode": "markers",
                "name": name,
                "marker": {"symbol": symbol, "size": 9, "color": color, "line": {"width": 1.5}},
                "hovertemplate": f"T = %{{x}}: {name}: %{{y:,}} candidates<extra></extra>",
            }
        )
    drawn = layout(
        theme,
        title="Candidates looked at up to length T (log scale)",
        x="length T (tokens)",
        y="candidates",
        height=height,
        showlegend=True,
        yaxis={"type": "log", "exponentformat": "power", "nticks": 8},
    )
    drawn["legend"] = {"x": 0.02, "xanchor": "left", "y": 0.98, "yanchor": "top", **_INSIDE}
    return figure(traces, drawn)


def widths(
    found: dict[int, float],
    scores: dict[int, float],
    exact: float | None,
    proven: bool,
    theme: Theme,
    height: int = 320,
) -> go.Figure:
    """log P of the most probable text that beams of some widths find, and the score of their winner, beside the
    optimum."""
    traces = [
        {
            "type": "scatter",
            "x": list(values),
            "y": np.array(list(values.values()), np.float32),
            "mode": "lines+markers",
            "name": name,
            "line": {"color": color, "width": 2, "dash": dash},
            "marker": {"size": 7},
            "hovertemplate": f"width %{{x}}: {name} %{{y:.4f}}<extra></extra>",
        }
        for name, values, color, dash in (
            ("highest log P found", found, theme.accent, "solid"),
            ("score of the winner", scores, theme.warm, "dot"),
        )
    ]
    if exact is not None:
        most = max(found)
        name = "highest of all (proven)" if proven else "highest known (not proven)"
        traces.append(
            {
                "type": "scatter",
                "x": [1, most],
                "y": [exact, exact],
                "mode": "lines",
                "name": name,
                "line": {"color": HEADS[2], "width": 2, "dash": "dash"},
                "hovertemplate": f"{name}: log P %{{y:.4f}}<extra></extra>",
            }
        )
    drawn = layout(
        theme,
        title="Wider beams: log P and score (nats)",
        x="width W (1 is greedy)",
        y="nats",
        height=height,
        showlegend=True,
        xaxis={"tickvals": list(found)},
    )
    drawn["legend"] = _BELOW
    return figure(traces, drawn)


def _short(text: str, limit: int = CUT) -> str:
    return token_label(text or "(the empty text)", limit)
