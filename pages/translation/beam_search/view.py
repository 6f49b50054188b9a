"""Draws what the page Beam search shows below a tree: the ranking of its texts, both length penalties, and the data."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from tlmviz.analysis.translation import beam_tree
from tlmviz.analysis.translation.beam_tree import Path
from tlmviz.decoding.records import Candidate, Search
from tlmviz.figures.translation import beam_curves
from tlmviz.figures.written import number
from tlmviz.tokens import output_names
from tlmviz.ui import frame, reading

from . import component, controls, words
from .controls import Choice

ON_CURVES = 40  # texts on the curves


def ranking(choice: Choice, search: Search, ranked: list[Candidate]) -> None:
    """Bars that are re-ranked in the browser."""
    component.ranking(
        component.rows(ranked, _texts(choice, ranked), search.align, choice.penalties.floor, search.nodes),
        choice.penalties,
        source=choice.has_source,
        origin=choice.origin,
        key=controls.RANKING,
        on_change=controls.keep_weights,
    )


def texts(choice: Choice, ranked: list[Candidate], samples: tuple[Path, ...]) -> None:
    """The winner and each sampled text, with their numbers."""
    best = ranked[0]
    lines = [
        (
            path.name,
            path.total,
            path.total / len(path.tokens),
            len(path.tokens),
            choice.tokenizer.decode(path.tokens),
        )
        for path in (Path("Beam search", best.tokens, best.logps), *samples)
    ]
    columns = ["text by", "log P", words.LOG_P_PER, "tokens", "continuation"]
    st.dataframe(
        written(pd.DataFrame(lines, columns=columns)),
        hide_index=True,
        column_config={"continuation": st.column_config.TextColumn(width="large")},
    )


def curves(choice: Choice, ranked: list[Candidate]) -> None:
    """Who wins at which alpha; at the level Maths also both length penalties with the texts on them."""
    ranked = ranked[:ON_CURVES]
    texts = _texts(choice, ranked)
    counts = np.array([len(candidate.tokens) for candidate in ranked], np.float32)
    logps = np.array([candidate.parts.logp for candidate in ranked], np.float32)
    rest = np.array([candidate.parts.coverage + candidate.parts.end for candidate in ranked], np.float32)
    alpha, length, theme = choice.penalties.alpha, choice.penalties.length, frame.theme()
    places = st.columns(2) if reading.maths() else [st.container()]
    with places[-1]:
        figure = beam_curves.crossings(counts, logps, rest, texts, alpha, length, theme)
        frame.chart(figure, key="crossings", alt=words.CROSSINGS_ALT)
    if reading.maths():
        with places[0]:
            figure = beam_curves.length_penalties(counts, logps, texts, alpha, length, theme)
            frame.chart(
                figure,
                key="lengthpenalties",
                alt=words.LENGTHPENALTIES_ALT,
            )
        st.caption(words.geometric_means(texts, counts, logps))


def data(choice: Choice, search: Search) -> None:
    """All nodes as a table to look at and to take away."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "All nodes (CSV)",
            lambda: _nodes(choice, search).to_csv().encode(),
            f"tlmviz-{choice.model}-beam{choice.rules.width}.csv",
            "text/csv",
            on_click="ignore",
        )
        opened = st.toggle(words.AS_TABLE, key="btab", bind="query-params")
    if opened:
        st.dataframe(written(_nodes(choice, search), ".4f"), height=320)


def written(table: pd.DataFrame, spec: str = ".3f") -> Styler:
    """A table that sorts by value, its fractions with a minus sign for hyphens."""
    fractions = table.select_dtypes("floating").columns
    return table.style.format(dict.fromkeys(fractions, partial(number, spec=spec)))


def _nodes(choice: Choice, search: Search) -> pd.DataFrame:
    """One line a node, scored under the penalties in force; `fate` says why it lived or died."""

    def name(token: int) -> str:
        return output_names(choice.tokenizer, [token])[0]

    search = replace(search, penalties=choice.penalties)
    table = search.table(name)
    table.insert(table.columns.get_loc("total"), "p", np.exp(table["logp"]))
    fates = beam_tree.tree(search, name).fates()[1:]
    return table.assign(fate=fates).drop(columns="why")


def _texts(choice: Choice, ranked: list[Candidate]) -> list[str]:
    return [choice.tokenizer.decode(candidate.tokens).strip() for candidate in ranked]
