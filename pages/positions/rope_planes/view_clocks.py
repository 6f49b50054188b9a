"""Draws the part Clocks: a dial per plane, what each plane adds to the score, and its numbers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.positions.rope_planes import Clocks
from tlmviz.figures import token_label
from tlmviz.figures.positions import rope_clocks
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice


def picture(choice: Choice) -> None:
    """Every plane's clock, what each adds, and the sum; a slider moves positions."""
    clocks = compute.clocks(choice)
    (layer, head), tokens = choice.head, choice.trace.tokens
    query, key = (f"{at} · {token_label(tokens[at])}" for at in choice.pair)
    title = words.clocks_title(layer, head, query, key)
    figure = rope_clocks.clocks(clocks, frame.theme(), title=title, moves=choice.moves)
    alt = words.CLOCKS_ALT
    with frame.wide("wide", 880):
        frame.chart(figure, key="clocks", alt=alt)
    never = int((clocks.wavelength > choice.lm.config.context).sum())
    st.caption(
        words.sum_of_planes(choice, float(clocks.scores[clocks.home]), compute.model_score(choice))
        + words.unfinished_turns(choice, never, len(clocks.frequency))
    )
    with st.expander(words.NUMBERS_HEADING):
        _numbers(clocks)


def _numbers(clocks: Clocks) -> None:
    q, k, parts = (values[clocks.home] for values in (clocks.q, clocks.k, clocks.parts))
    angle = np.degrees(np.arctan2(q[:, 1], q[:, 0]) - np.arctan2(k[:, 1], k[:, 0]))
    planes = np.arange(len(parts))
    columns = {
        "plane": planes,
        "dimensions": [f"{2 * j}, {2 * j + 1}" for j in planes],
        "rad per token": clocks.frequency,
        "tokens per turn": clocks.wavelength,
        "|q|": np.linalg.norm(q, axis=1),
        "|k|": np.linalg.norm(k, axis=1),
        "angle (°)": (angle + 180) % 360 - 180,
        words.ADDS: parts,
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    formats = {"rad per token": ".4g", "tokens per turn": ",.2f", "|q|": ".3f", "|k|": ".3f"}
    frame.table(rows, formats | {"angle (°)": "+.1f", words.ADDS: "+.4f"})
