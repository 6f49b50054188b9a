"""A window that slides over a text, scrubbed in the browser, and the matrix of co-occurrences that grows with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.words.reading import Reading, most_frequent
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

SHOWN = 32  # words whose rows and columns are drawn

_component = component("tlmviz_pairs", Path(__file__).parent)


def payload(
    reading: Reading, *, title: str, window: int, by_distance: bool, place: int, state: Mapping[str, Any]
) -> bytes:
    """Everything the view shows: the words, which of them are kept and drawn, the window. `place` is where it opens."""
    row = {word: number for number, word in enumerate(reading.vocabulary)}
    kept = [word for word, stays in zip(reading.words, reading.kept) if stays]
    header = {
        "title": title,
        "words": list(reading.words),
        "vocabulary": list(reading.vocabulary),
        "drawn": [row[word] for word in most_frequent(kept, SHOWN)],
        "window": window,
        "byDistance": by_distance,
        "place": place,
        "state": dict(state),
        "colors": figures.palette(),
    }
    arrays = {
        "ids": reading.ids.astype(np.uint16),
        "kept": reading.kept.astype(np.uint8),
        "keep": reading.keep.astype(np.float32),
    }
    return pack(header, arrays)


def pairs_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"step", "seq"} as `place`: which kept word is the center, from 0."""
    _component(key=key, data=data, on_place_change=on_change)
