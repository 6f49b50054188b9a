"""Draws the part Layouts: the trained model run with either layout: loss, next tokens, what it writes."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.analysis.positions import rope_planes
from tlmviz.figures.positions import rope_planes as figures
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice


def picture(choice: Choice) -> None:
    """Which dimensions turn together, the loss and the next tokens of both layouts, and a table of the runs."""
    left, middle, right = st.columns([0.32, 0.4, 0.28], gap="small")
    with left:
        _dimensions(choice)
    with middle:
        _losses(choice)
    with right:
        _next_tokens(choice)
    if len(choice.trace) > 1:
        st.caption(words.layout_cost(compute.mean_loss(choice, "half") - compute.mean_loss(choice, "own")))
    _table(choice)


def _dimensions(choice: Choice) -> None:
    dim = choice.lm.config.head_dim
    layouts = {
        "Interleaved: (2j, 2j + 1)": rope_planes.plane_dimensions(dim, "interleaved"),
        "Half-split: (j, j + d/2)": rope_planes.plane_dimensions(dim, "half"),
    }
    alt = words.LAYOUTS_ALT
    frame.chart(figures.pairs(layouts, frame.theme()), key="pairs", alt=alt)


def _losses(choice: Choice) -> None:
    runs = {"right layout": "own", "wrong layout": "half"}
    lines = {label: compute.run(choice, how).loss_per_token().numpy() for label, how in runs.items()}
    figure = figures.losses(choice.trace.tokens, lines, frame.theme())
    frame.chart(figure, key="layoutloss", alt=words.LAYOUTLOSS_ALT)


def _next_tokens(choice: Choice) -> None:
    names, right, wrong = compute.next_tokens(choice)
    query = choice.pair[0]
    bars = {"right layout": right, "wrong layout": wrong}
    figure = figures.next_tokens(names, bars, choice.trace.tokens[query], frame.theme())
    alt = words.layouts_heading(query)
    frame.chart(figure, key="layoutnext", alt=alt)


def _table(choice: Choice) -> None:
    """Loss and agreement of each run at once, what each writes when it is known."""
    place, runs = st.empty(), list(words.RUNS)
    table = pd.DataFrame(
        {
            "run": list(words.RUNS.values()),
            "nats per token": [compute.mean_loss(choice, how) for how in runs],
            "same choice": [compute.agreement(choice, how) for how in runs],
            words.continued_column(compute.CONTINUED): ["…"] * len(runs),
        }
    )
    config = {
        "nats per token": st.column_config.NumberColumn(format="%.4f", help=words.MEAN_LOSS_HELP),
        "same choice": st.column_config.NumberColumn(
            format="percent",
            help=words.SAME_HELP,
        ),
    }
    place.dataframe(table, hide_index=True, height="content", column_config=config)
    table.iloc[:, 3] = [_visible(compute.continued(choice, how)) for how in runs]
    place.dataframe(table, hide_index=True, height="content", column_config=config)


def _visible(text: str) -> str:
    """What a model wrote, in one line; also where that is nothing but spaces and line ends."""
    return text.replace("\n", "⏎").replace("\t", "⇥") if text.strip(" ") else words.TEXT_ENDS
