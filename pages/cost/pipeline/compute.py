"""Everything the page Pipeline computes, cached."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from tlmviz.analysis.cost import pipeline
from tlmviz.analysis.cost.pipeline import MOST_MICRO, SCHEDULES, Run, Setting
from tlmviz.checks import Check
from tlmviz.checks import cost_pipeline as checks
from tlmviz.errors import BadSchedule

from .controls import Choice

COUNTS = tuple(sorted({*range(1, 9), *range(10, 33, 2), *range(36, MOST_MICRO + 1, 4)}))


@st.cache_data(max_entries=64, show_spinner=False)
def run(choice: Choice) -> Run:
    """The schedule, run. Raises BadSchedule."""
    return pipeline.simulate(choice.schedule, choice.setting)


def every(setting: Setting) -> dict[str, Run | str]:
    """All schedules with one setting: each run, or the sentence that says what it needs."""
    found: dict[str, Run | str] = {}
    for name in SCHEDULES:
        try:
            found[name] = run(Choice(name, setting))
        except BadSchedule as error:
            found[name] = str(error)
    return found


@st.cache_data(max_entries=32, show_spinner=False)
def bubbles(setting: Setting) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The bubble of every schedule against the number of micro-batches; a schedule that never runs is left out."""
    found = {}
    for name in SCHEDULES:
        try:
            counts, shares = pipeline.bubbles(name, setting, COUNTS)
        except BadSchedule:
            continue
        if len(counts):
            found[name] = counts, shares
    return found


def bubbles_of(setting: Setting) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The same, computed once for all numbers of micro-batches that may be chosen."""
    return bubbles(replace(setting, micro=1))


@st.cache_data(max_entries=32, show_spinner=False)
def measured(choice: Choice) -> list[Check]:
    """The identities behind this page, on this run."""
    ran = run(choice)
    return [
        checks.one_thing_at_a_time(ran),
        checks.nothing_before_its_input(ran),
        checks.everything_once(ran),
        checks.gpipe_bubble(choice.setting),
    ]
