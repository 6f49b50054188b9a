"""Draws the view "Text": the text to read, coloured, beside the map of a head."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels.far_reading import farthest_look
from tlmviz.trace import Trace
from tlmviz.ui import below, frame
from tlmviz.ui.components.attention_view import arithmetic, head_arrays

from .. import controls as page_controls
from ..compute import Passage, checks, far_heads, pooled, read, row_of
from ..controls import Choice
from . import controls, words
from .component import payload, reading

OFFERED = 5  # heads that read far
HEAVIEST = 1_200_000  # bytes of q and k: 4,096 tokens of 32 numbers


def show(choice: Choice) -> None:
    """The text beside the map, and what is below."""
    passage = page_controls.passage(choice)
    with st.spinner(words.reading_text(len(passage.ids)), show_time=True):
        trace, loss, _ = read(passage)
        picture = pooled(passage, choice.layer, choice.head)
        far = far_heads(passage)
    query = _pinned(choice, passage, picture)
    row = row_of(passage, choice.layer, choice.head, query)
    origin = f"{choice.model}/{hash(passage.ids)}/{choice.layer}.{choice.head}"
    exact = {} if controls.held() == origin else _exact(trace, choice.layer, choice.head)
    data = payload(
        trace.tokens,
        loss,
        row,
        picture,
        exact,
        model=choice.model,
        layer=choice.layer,
        head=choice.head,
        query=query,
        far=_offers(far),
        color=controls.COLORING.get(),
        context=choice.lm.config.context,
        seq=controls.sequence(),
        picture=below.next_picture(),
        origin=origin,
        **arithmetic(trace, choice.layer, choice.head),
    )
    reading(data, key=controls.KEY, on_change=controls.keep)
    controls.COLORING.share()
    below.when_painted("beneath-reading", lambda: _beneath(choice, passage, query, row))


def _exact(trace: Trace, layer: int, head: int) -> dict[str, np.ndarray]:
    """What the browser computes rows from, unless it is too much to send."""
    arrays = head_arrays(trace, layer, head)
    return arrays if sum(array.nbytes for array in arrays.values()) <= HEAVIEST else {}


def _pinned(choice: Choice, passage: Passage, picture: np.ndarray) -> int:
    """The pinned query; while none is, the one that looks at a far token with most weight, or the last."""
    length = len(passage.ids)
    if choice.query is not None and 0 <= choice.query < length:
        return choice.query
    found = farthest_look(read(passage)[0], choice.layer, choice.head, picture)
    return length - 1 if found is None else found


def _offers(far: np.ndarray) -> list[dict]:
    """The heads that read far, best first, with what was measured."""
    order = np.argsort(-far, axis=None)[:OFFERED]
    places = [divmod(int(place), far.shape[1]) for place in order]
    return [{"layer": layer, "head": head, "value": float(far[layer, head])} for layer, head in places]


def _beneath(choice: Choice, passage: Passage, query: int, row: np.ndarray) -> None:
    frame.what_to_notice(*words.notice(choice, query, row))
    frame.badges(checks(passage))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, len(passage.ids), query))
