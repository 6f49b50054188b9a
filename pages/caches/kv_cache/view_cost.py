"""Draws the view Cost of the page KV cache: time and operations with the cache and without."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.caches import cost
from tlmviz.analysis.caches.decode_steps import NAIVE, WITH, WITHOUT, Timing
from tlmviz.figures.caches import kv_costs
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice
from .view import footer

# Way of decoding: whether it has a cache, and whether latent attention is absorbed.
WAYS = {WITH: (True, True), WITHOUT: (False, True), NAIVE: (True, False)}


def with_and_without(choice: Choice) -> None:
    """Time, measured, and operations, by formula, with the cache and without."""
    decoding, config, theme = compute.decoding(choice), choice.lm.config, frame.theme()
    length = len(decoding.ids)
    with st.spinner(words.MEASURING, show_time=True):
        timing = compute.timing(choice)
    lengths = np.unique(np.geomspace(1, max(4 * config.context, length), 60).astype(int))
    flops = {
        way: np.array([cost.step_flops(config, int(at), *options).total for at in lengths], np.float64)
        for way, options in WAYS.items()
        if way in timing.ways
    }
    left, right = st.columns(2)
    with left:
        figure = kv_costs.milliseconds(timing.fastest(), timing.rounds, theme)
        frame.chart(figure, key="kvtime", alt=words.KVTIME_ALT)
    with right:
        figure = kv_costs.operations(lengths, flops, length, theme)
        frame.chart(figure, key="kvflops", alt=words.KVFLOPS_ALT)
    _table(timing, {way: cost.step_flops(config, length, *WAYS[way]).total for way in flops})
    st.caption(words.measured(length, decoding.steps, timing.rounds))
    footer(choice.view, words.cost_snippet(choice))


def _table(timing: Timing, flops: dict[str, int]) -> None:
    """A row for each way of decoding; `flops` are those of the last token."""
    rows = [
        {
            "Per token": way,
            "ms, measured": words.time_range(timing.ways[way][1]),
            "FLOP, formula": float(total),
            "× with the cache": total / flops[WITH],
        }
        for way, total in flops.items()
    ]
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "ms, measured": st.column_config.TextColumn(help=words.time_help(timing.rounds)),
            "FLOP, formula": number(format="compact", help=words.FLOP_HELP),
            "× with the cache": number(format="%.1f"),
        },
    )
