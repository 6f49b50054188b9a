"""Draws the page Serving: the picture that is walked, the numbers side by side, and what each request got."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.decoding.serving_records import Run, totals_table
from tlmviz.figures.caches import serving
from tlmviz.figures.caches.serving_captions import count, step_captions
from tlmviz.ui import frame

from . import compute, words
from .controls import CONTINUOUS, STATIC, Choice


def picture(choice: Choice, runs: dict[str, Run]) -> None:
    """Pages, block tables, texts and both timelines, walked in the browser."""
    run, letters, server = runs[choice.policy], list(choice.letters), choice.server
    headings = {}
    for policy, result in runs.items():
        totals = result.totals()
        headings[policy] = words.policy_heading(policy, totals.steps, totals.tokens_per_step, totals.waste)
    memory = f"{count(server.pages, 'page')} of {count(server.page, 'slot')}"
    rows = count(server.batch, "row")
    figure = serving.server(
        {policy: result.steps for policy, result in runs.items()},
        choice.policy,
        server.page,
        step_captions(run, letters),
        run.texts_by_step(choice.lm.tokenizer),
        letters,
        headings,
        frame.theme(),
        title=words.up_memory_title(choice.model, memory, rows, choice.policy),
    )
    alt = words.PICTURE_ALT
    with frame.wide("wide"):
        frame.chart(figure, key="server", alt=alt)


def side_by_side(choice: Choice, runs: dict[str, Run]) -> None:
    """Throughput and waste of each policy, counted, and of the continuous one without prefix sharing."""
    compared = {policy.capitalize(): run for policy, run in runs.items()}
    if choice.server.sharing != "none":
        compared = {
            "Continuous": runs[CONTINUOUS],
            "No sharing": compute.unshared(choice),
            "Static": runs[STATIC],
        }
    whole = st.toggle("All counts", key="vall", bind="query-params")
    table = totals_table(compared).T[list(words.COLUMNS if whole else words.FIRST)]
    table["waste"] *= 100
    if whole:
        servers = tuple(compute.with_server(choice, run.server) for run in compared.values())
        table["tokens_per_second"] = words.speeds(compute.tokens_per_second(servers), len(compared))
    _table(table)
    longest = max(len(run.steps) for run in runs.values())
    for place, (policy, run) in zip(st.columns(2), runs.items()):
        allocated = np.array([step.allocated for step in run.steps])
        occupied = np.array([step.occupied for step in run.steps])
        with place:
            title = words.slots_title(policy.capitalize(), run.server.slots)
            figure = serving.slots_in_use(
                allocated, occupied, run.server.slots, longest, title, frame.theme()
            )
            frame.chart(
                figure,
                key=f"slots-{policy}",
                alt=words.side_by_side_alt(policy),
            )


def _table(table: pd.DataFrame) -> None:
    """The counts of each server, a line each."""
    formats = dict.fromkeys(("tokens_per_step", "ttft", "end_to_end_latency"), "%.2f") | {"waste": "%.1f %%"}
    columns = {column: words.COLUMNS[column] for column in table}
    st.dataframe(
        table.rename_axis("Batching").reset_index(),
        hide_index=True,
        column_config={
            column: st.column_config.TextColumn(label, help=help_)
            if column == "tokens_per_second"
            else st.column_config.NumberColumn(label, help=help_, format=formats.get(column, "%d"))
            for column, (label, help_) in columns.items()
        },
    )


def answers(choice: Choice, run: Run) -> None:
    """Each request with its text and its counts."""
    table = run.per_request()
    table.insert(0, "request", list(choice.letters))
    with st.expander(words.answers_heading(choice.policy)):
        st.dataframe(
            table, hide_index=True, column_config={"text": st.column_config.TextColumn(width="large")}
        )
        st.download_button(
            "Every step (CSV)",
            lambda: run.per_step().to_csv().encode(),
            f"tlmviz-{choice.policy}.csv",
            "text/csv",
            on_click="ignore",
        )
