"""What a browser makes the rows of a model's layers by (block.js): tables that would else be written twice."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from tlmviz.analysis.attention.placements import PLACEMENTS
from tlmviz.analysis.attention.reader import input_name
from tlmviz.analysis.attention.rows import inside
from tlmviz.analysis.attention.steps import step_names
from tlmviz.config import ModelConfig


def steps(config: ModelConfig, drawn: Container[str] | None = None) -> dict[str, Any]:
    """What block.js makes a model's rows by: where norms stand, and of each kind of layer the steps with their
    sublayers.

    `drawn` names those that have a row; all where it is None.
    """
    place, kinds = PLACEMENTS[config.norm.placement], kinds_of(config)
    names = [step_names(config, layer) for layer in kinds.values()]
    return {
        "placement": {
            "reads": place.reads,
            "added": place.added,
            "streams": place.streams,
            "summed": None in place.normed,
            "input": input_name(config),
        },
        "kinds": [
            [(name, part) for name, part in zip(each, inside(each), strict=True) if drawn is None or name in drawn]
            for each in names
        ],
        "layers": [list(kinds).index(_kind(config, layer)) for layer in range(config.n_layers)],
    }


def kinds_of(config: ModelConfig) -> dict[Any, int]:
    """What layers differ in -> the first of that kind."""
    kinds: dict[Any, int] = {}
    for layer in range(config.n_layers):
        kinds.setdefault(_kind(config, layer), layer)
    return kinds


def _kind(config: ModelConfig, layer: int) -> Any:
    return config.layer(layer), config.has_experts(layer)
