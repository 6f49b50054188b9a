"""What a browser counts the operations of a generation's steps by."""

from __future__ import annotations

from typing import Any

from tlmviz.analysis.caches.cost import Shape, step_flops
from tlmviz.config import ModelConfig


def costs(config: ModelConfig) -> dict[str, Any]:
    """A model's kind of attention, and what its operations grow by: `step_flops` as its coefficients."""
    one, two = (step_flops(config, length).total for length in (1, 2))
    a, b, c = (step_flops(config, length, cached=False).total for length in (1, 2, 3))
    square = (c - 2 * b + a) // 2
    line = b - a - 3 * square
    key = (two - one) // config.n_layers
    return {
        "kind": Shape.of(config).kind,
        "once": one - key * config.n_layers,
        "key": key,
        "whole": [a - line - square, line, square],
    }
