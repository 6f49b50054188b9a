"""Draws the page GloVe: ratios of two words, counts beside what the vectors make of them, the weights and the fit."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.words import glove
from tlmviz.figures.words import glove as figures
from tlmviz.ui import frame

from . import compute, words
from .compute import Table
from .controls import MODEL, Choice


def ratios(choice: Choice, found: Table) -> None:
    """The ratio of each probe as a bar, and the table of the paper."""
    left, right = st.columns([0.56, 0.44])
    with left:
        figure = figures.ratio_bars(
            found.probes,
            found.ratios.ratios,
            found.fitted,
            frame.theme(),
            title=words.title(choice),
            names=(choice.first, choice.second),
        )
        frame.chart(figure, key="ratios", alt=words.RATIOS_ALT)
    with right:
        rows = words.rows(choice, found)
        frame.table(rows, words.FORMATS, words.HELPS)
    frame.caption(words.ratios(choice, found))


def maps(choice: Choice, found: Table) -> None:
    """The counts among these words, and what the vectors make of them."""
    st.markdown(words.COUNTS_HEADING)
    meetings, vocabulary = compute.meetings(choice.own)
    rows = found.all_rows
    counts, names = meetings.cells(rows, rows), [vocabulary[row] for row in rows]
    theme, most = frame.theme(), max(1.0, float(counts.max()))
    left, right = st.columns(2)
    with left:
        figure = figures.count_map(counts, names, theme, title=words.X_COUNTED_TITLE, most=most)
        frame.chart(figure, key="counted", alt=words.COUNTED_ALT)
    with right:
        if choice.own is not None:
            st.info(words.NO_FIT)
            return
        values = np.exp(glove.fitted(choice.wv, rows, rows))
        figure = figures.count_map(values, names, theme, title=f"exp(w·w̃ + b + b̃), {MODEL}", most=most)
        frame.chart(figure, key="fitted", alt=words.FITTED_ALT)


def fit(choice: Choice, found: Table) -> None:
    """The weight of a count, and the fit of every count of the model's text."""
    st.markdown("#### The fit")
    theme, config, cells = frame.theme(), choice.wv.config, compute.fit()
    left, right = st.columns(2)
    with left:
        names, counts = compute.weights(found, choice)
        figure = figures.weight_curve(
            config.x_max,
            config.alpha,
            counts,
            names,
            theme,
            title=words.WEIGHT_F_TITLE,
        )
        frame.chart(figure, key="weight", alt=words.WEIGHT_ALT)
    with right:
        figure = figures.fit_density(
            cells.log_x,
            cells.value,
            cells.weight,
            theme,
            title=words.density_title(len(cells.log_x)),
        )
        frame.chart(
            figure,
            key="density",
            alt=words.DENSITY_ALT,
        )
    frame.table(compute.errors_by_count(), words.FIT_FORMATS)
    frame.caption(words.fit(cells))
