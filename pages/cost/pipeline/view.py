"""Draws the page Pipeline: the chosen schedule as a timeline, and all schedules in a table and against m."""

from __future__ import annotations

import streamlit as st

from tlmviz.checks import Check
from tlmviz.errors import BadSchedule
from tlmviz.figures.cost import pipeline as figures
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import payload, pipeline_view
from .controls import Choice


def timeline(choice: Choice) -> bool:
    """The timeline of one schedule with what every device holds, or what the schedule needs; whether there is a timeline."""
    try:
        run = compute.run(choice)
    except BadSchedule as error:
        st.warning(str(error))
        return False
    data = payload(run, title=words.title(run), state=controls.state(), picture=below.next_picture())
    st.markdown(f"**{words.title(run)}**")
    pipeline_view(data, key=controls.KEY, on_change=controls.keep_time)
    return True


def all_schedules(choice: Choice) -> None:
    """Every schedule for the same pipeline, in numbers and against the number of micro-batches."""
    found = compute.every(choice.setting)
    st.markdown(words.ALL_SCHEDULES_HEADING)
    frame.table(words.rows(found), words.COLUMNS, words.HELPS)
    refused = [said for said in found.values() if isinstance(said, str)]
    frame.caption("  \n".join(refused))
    figure = figures.bubbles(
        compute.bubbles_of(choice.setting),
        choice.setting.stages,
        choice.setting.micro,
        frame.theme(),
        chosen=choice.schedule,
    )
    frame.chart(
        figure,
        key="bubbles",
        alt=words.BUBBLES_ALT,
    )


def rules() -> None:
    """The rules of the simulation, in words."""
    with st.expander(words.RULES_HEADING):
        st.markdown("\n".join(f"- {rule}" for rule in words.RULES))


def measured(choice: Choice) -> list[Check]:
    """The identities on the chosen run; none where it cannot run."""
    try:
        return compute.measured(choice)
    except BadSchedule:
        return []
