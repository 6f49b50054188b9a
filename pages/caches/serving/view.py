"""What the page "Serving" shows: the picture that is walked, the numbers side by side, and what each request got."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from tlmviz.decoding import serving_story
from tlmviz.decoding.serving_records import Run, totals_table
from tlmviz.figures.caches import serving
from tlmviz.ui import compute, frame

from . import compute as serving_state
from . import words as serving_words
from .compute import CONTINUOUS, STATIC, Asked


def picture(name: str, asked: Asked, runs: dict[str, Run]) -> None:
    """Pages, block tables, texts and both timelines, walked in the browser."""
    run, names = runs[asked.shown], list(asked.names)
    heads = {}
    for policy, each in runs.items():
        totals = each.totals()
        heads[policy] = serving_words.policy(policy, totals.steps, totals.tokens_per_step, totals.waste)
    server = asked.server
    memory = f"{serving_story.count(server.pages, 'page')} of {serving_story.count(server.page, 'slot')}"
    rows = serving_story.count(server.batch, "row")
    title = f"{name}, {memory}, up to {rows}: memory under {asked.shown} batching"
    figure = serving.server(
        {policy: each.steps for policy, each in runs.items()},
        asked.shown,
        server.page,
        serving_story.story(run, names),
        serving_story.written(compute.model(name), run),
        names,
        heads,
        frame.theme(),
        title=title,
    )
    alt = "Physical pages, block tables and texts of all requests at one step, and when each request waits, reads and writes"
    with st.container(key="wide"):
        frame.chart(figure, key="server", alt=alt)


def side_by_side(name: str, asked: Asked, runs: dict[str, Run]) -> None:
    """Throughput and waste of each policy, counted; sharing is also turned off, to be compared."""
    compared = {policy.capitalize(): run for policy, run in runs.items()}
    if asked.server.sharing != "none":
        unshared = serving_state.served(name, asked.requests, replace(asked.server, sharing="none"))
        compared = {"Continuous": runs[CONTINUOUS], "No sharing": unshared, "Static": runs[STATIC]}
    table = totals_table(compared).T[list(serving_words.COLUMNS)]
    table["waste"] *= 100
    table["tokens_per_second"] = [
        serving_state.speed(name, asked.requests, run.server) for run in compared.values()
    ]
    formats = dict.fromkeys(("tokens_per_step", "first_token", "turnaround"), "%.2f") | {"waste": "%.1f %%"}
    st.dataframe(
        table.rename_axis("Batching").reset_index(),
        hide_index=True,
        column_config={
            column: st.column_config.NumberColumn(
                label, help=help_, format=formats.get(column, "%d"), width=68
            )
            for column, (label, help_) in serving_words.COLUMNS.items()
        },
    )
    longest = max(len(run.steps) for run in runs.values())
    for place, (policy, run) in zip(st.columns(2), runs.items()):
        held, used = (np.array([getattr(step, what) for step in run.steps]) for what in ("held", "used"))
        with place:
            title = f"{policy.capitalize()}: slots held and used, of {run.server.slots:,}"
            figure = serving.slots_in_use(held, used, run.server.slots, longest, title, frame.theme())
            frame.chart(
                figure, key=f"slots-{policy}", alt=f"Slots held and used at each step under {policy} batching"
            )


def answers(asked: Asked, run: Run) -> None:
    """What each request asked, got and cost."""
    table = run.per_request()
    table.insert(0, "request", asked.names)
    with st.expander(f"Requests and their texts ({asked.shown} batching)"):
        st.dataframe(
            table, hide_index=True, column_config={"text": st.column_config.TextColumn(width="large")}
        )
        st.download_button(
            "Every step (CSV)",
            lambda: run.per_step().to_csv().encode(),
            f"tlmviz-{asked.shown}.csv",
            "text/csv",
            on_click="ignore",
        )
