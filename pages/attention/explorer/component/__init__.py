"""The flow to a prediction as a graph of tokens and layers, whose edges are heads to click on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tlmviz import figures
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_flow", Path(__file__).parent)


@dataclass(frozen=True)
class Graph:
    """What is drawn: edges [layer, head, query, key, flow, adds], largest first, among the columns' token positions.

    `stays` and `mlps` [L][columns], `mlp_adds` [L] and `nodes` [L + 1][columns] are shares of the prediction like `flow`;
    `adds` are logits. `least` is the smallest share that is drawn.
    """

    title: str
    word: str
    position: int
    columns: Sequence[int]
    tokens: Sequence[str]
    edges: Sequence[Sequence[float]]
    nodes: Sequence[Sequence[float]]
    stays: Sequence[Sequence[float]]
    mlps: Sequence[Sequence[float]]
    mlp_adds: Sequence[float]
    least: float
    chosen: Sequence[int] | None = None  # layer, head, query and key that the map above shows


def flow_view(graph: Graph, *, key: str, on_opened: Callable[[], None]) -> None:
    """Draw the graph. An edge that is opened is in the state of `key` as "opened": layer, head, query, key."""
    _component(key=key, data={**asdict(graph), "colors": figures.palette()}, on_opened_change=on_opened)
