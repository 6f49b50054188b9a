"""The ranking of a search's texts under penalties that are moved in the browser: no new search, and no server while dragging.

Each text is sent with its log P, its length, and what coverage and end terms are multiplied by; the scripts beside this
file compute Eq. 34-41 of Mathematics in Modern NLP from them as `tlmviz.decoding.penalties` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz.analysis.translation.beam_tree import way_to
from tlmviz.decoding.penalties import Penalties, token_coverage
from tlmviz.decoding.records import Candidate, Node
from tlmviz.ui.components.scripts import component

MOST = 200  # texts that are sent, the most probable ones

_component = component("tlmviz_beam_ranking", Path(__file__).parent)


def rows(
    hypotheses: Sequence[Candidate],
    texts: Sequence[str],
    align: int | None,
    floor: float,
    nodes: Sequence[Node],
) -> list[dict[str, Any]]:
    """A row for each text, as the browser ranks them: `coverage` is cp / beta and `ends` is ep / gamma, 0 without a source.

    `way` are the `nodes` of the search that lead to it: what is pointed at in the tree lights up here, and the other way.
    """
    lines = []
    for hypothesis, text in zip(hypotheses, texts):
        attention = hypothesis.map(align)
        coverage, ends = 0.0, 0.0
        if attention is not None:
            coverage = float(token_coverage(attention.sum(0), floor).sum())
            ends = len(hypothesis.tokens) / attention.shape[1]
        lines.append(
            {
                "id": hypothesis.node,
                "text": text,
                "way": way_to(nodes, hypothesis.node),
                "count": len(hypothesis.tokens),
                "logp": float(np.sum(hypothesis.logps, dtype=np.float64)),
                "coverage": coverage,
                "ends": ends,
                "finished": hypothesis.finished,
            }
        )
    return sorted(lines, key=lambda row: -row["logp"])[:MOST]


def ranking(
    rows: list[dict[str, Any]],
    penalties: Penalties,
    *,
    source: bool,
    origin: str,
    key: str,
    on_change: Callable[[], None],
) -> None:
    """Show the ranking; the browser sends {"alpha", "beta", "gamma"} as `weights` when a slider is let go.

    A new `origin` makes the browser take over `penalties`; with the same origin it keeps its own.
    """
    weights = {name: getattr(penalties, name) for name in ("alpha", "beta", "gamma")}
    data = {"rows": rows, "weights": weights, "kind": penalties.length, "source": source, "origin": origin}
    _component(key=key, data=data, on_weights_change=on_change)
