"""The Huffman tree of hierarchical softmax and the path of one word, drawn in the browser, where the rate needs no server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.words.one_step import Step
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component
from tlmviz.word_vectors import WordVectors

_component = component("tlmviz_huffman_tree", Path(__file__).parent)


def payload(
    wv: WordVectors, step: Step, signs: np.ndarray, header: Mapping[str, Any], state: Mapping[str, Any]
) -> bytes:
    """Everything the view shows: the tree, the scores of its nodes, and what the step of a pair changes.

    `signs` has the turn at each node on the path, 0 elsewhere.
    """
    given = {
        **header,
        "words": wv.vocabulary,
        "vv": float(step.v @ step.v),
        "vg": float(step.v @ step.gradient),
        "colors": figures.palette(),
        "state": dict(state),
    }
    arrays = {
        "children": wv.tree.children.astype(np.uint16),
        "scores": step.scores,
        "toward": step.toward,
        "pull": step.pull,
        "signs": signs,
        "counts": wv.counts.astype(np.float32),
    }
    return pack(given, arrays)


def tree_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends its state as `place` when it rests."""
    _component(key=key, data=data, on_place_change=on_change)
