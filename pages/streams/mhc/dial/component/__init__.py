"""The Sinkhorn dial: a matrix after 0 to 40 iterations, computed in the browser in double precision on logarithms.

What is sent are the logits: of every sublayer and token of a model, or of one matrix that the user edits. The scripts
beside this file compute what `kernels.sinkhorn_iterates` and `analysis.scaling_support` do.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz.analysis.streams.scaling_support import Support
from tlmviz.figures import palette
from tlmviz.ui.components.scripts import component

ITERATIONS = 40

_component = component("tlmviz_stream_dial", Path(__file__).parent)


def of_model(
    logits: np.ndarray, tokens: Sequence[str], sublayers: Sequence[str], iterations: int
) -> dict[str, Any]:
    """What the browser needs of a model: the logits [P, T, N, N] of all sublayers, and how many iterations it does itself."""
    encoded = base64.b64encode(np.ascontiguousarray(logits, "<f4").tobytes()).decode()
    return {
        "logits": encoded,
        "n": logits.shape[-1],
        "tokens": list(tokens),
        "sublayers": list(sublayers),
        "iterations": iterations,
    }


def of_matrix(
    typed: str, words: list[list[str]], logits: np.ndarray, kind: str, support: Support, verdict: str
) -> dict[str, Any]:
    """What the browser needs of a matrix: its words as cells, and what scaling can do with it.

    `typed` is what the field holds. Where that cannot be read the rest is of the last matrix that could.
    """
    pattern = "".join("0" if value == -np.inf else "+" for value in logits.ravel())
    judged = {"kind": support.kind, "blocks": support.blocks, "pattern": pattern}
    return {"typed": typed, "words": words, "kind": kind, "support": judged, "verdict": verdict}


def dial(
    source: dict[str, Any],
    *,
    own: bool,
    name: str,
    place: dict[str, Any],
    origin: str,
    key: str,
    on_place: Callable[[], None],
    on_edited: Callable[[], None],
    on_taken: Callable[[], None],
) -> None:
    """Show the dial of `of_model` or (`own`) of `of_matrix`.

    The browser sends {"token", "sublayer", "step", "temperature"} as `place`, debounced, and {"text"} as `edited`
    (a matrix whose cells were changed) and as `taken` (the model's logits, to be edited). A new `origin` makes it take over
    `place`; with the same origin it keeps its own.
    """
    data = {
        "own" if own else "model": source,
        "name": name,
        "place": place,
        "origin": origin,
        "colors": palette(),
    }
    _component(
        key=key, data=data, on_place_change=on_place, on_edited_change=on_edited, on_taken_change=on_taken
    )
