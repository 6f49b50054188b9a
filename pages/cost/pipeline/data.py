"""Everything that the page Pipeline shows: all schedules on one pipeline, and the identities of the chosen one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.cost import pipeline
from tlmviz.analysis.cost.pipeline import MOST_MICRO, SCHEDULES, Run, Setting
from tlmviz.checks import Check
from tlmviz.checks import cost_pipeline as checks
from tlmviz.errors import BadSchedule

from .state import Choice

COUNTS = tuple(sorted({*range(1, 9), *range(10, 33, 2), *range(36, MOST_MICRO + 1, 4)}))
Curves = dict[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Data:
    """What the page shows; what is below the picture is computed when it is asked for."""

    chosen: Choice
    setting: Setting

    @cached_property
    def found(self) -> dict[str, Run | BadSchedule]:
        """All schedules on this pipeline: each run, or what it needs."""
        return {name: _run(name, self.setting) for name in SCHEDULES}

    @property
    def runs(self) -> dict[str, Run]:
        """Those that can run."""
        return {name: run for name, run in self.found.items() if isinstance(run, Run)}

    @property
    def refused(self) -> dict[str, BadSchedule]:
        """What the others need."""
        return {name: error for name, error in self.found.items() if isinstance(error, BadSchedule)}

    @property
    def run(self) -> Run | None:
        """The chosen schedule, where it can run."""
        return self.runs.get(self.chosen.schedule)

    @property
    def bubbles(self) -> Curves:
        """The bubble of every schedule against the number of micro-batches: (counts, shares), all that may be
        chosen."""
        return _bubbles(replace(self.setting, micro=1))

    @property
    def checks(self) -> list[Check]:
        """The identities on the chosen run; none where it cannot run."""
        return _checks(self.chosen.schedule, self.setting) if self.run else []


def compute(chosen: Choice) -> Data:
    """The data of a state. Raises BadSchedule for a pipeline that cannot be."""
    return Data(chosen, chosen.setting)


@st.cache_resource(max_entries=256, show_spinner=False)  # frozen: shared, not pickled
def _run(schedule: str, setting: Setting) -> Run | BadSchedule:
    try:
        return pipeline.simulate(schedule, setting)
    except BadSchedule as error:
        return error


@st.cache_data(max_entries=32, show_spinner=False)
def _bubbles(setting: Setting) -> Curves:
    """A schedule that never runs is left out."""
    found = {}
    for name in SCHEDULES:
        try:
            counts, shares = pipeline.bubbles(name, setting, COUNTS)
        except BadSchedule:
            continue
        if len(counts):
            found[name] = counts, shares
    return found


@st.cache_data(max_entries=32, show_spinner=False)
def _checks(schedule: str, setting: Setting) -> list[Check]:
    run = _run(schedule, setting)
    return [
        checks.one_thing_at_a_time(run),
        checks.nothing_before_its_input(run),
        checks.everything_once(run),
        checks.gpipe_bubble(setting),
    ]
