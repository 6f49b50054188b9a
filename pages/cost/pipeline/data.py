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
from tlmviz.ui.cached import cached

from .state import Choice

COUNTS = tuple(sorted({*range(1, 9), *range(10, 33, 2), *range(36, MOST_MICRO + 1, 4)}))
Curves = dict[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Data:
    """What the page shows; what is below the picture is computed when it is asked for."""

    chosen: Choice

    def __post_init__(self) -> None:
        self.setting  # noqa: B018 (raises BadSchedule for a pipeline that cannot be)

    @cached_property
    def setting(self) -> Setting:
        """The pipeline."""
        return self.chosen.setting

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
    def of_any_micro(self) -> Setting:
        """The pipeline, whatever the number of micro-batches."""
        return replace(self.setting, micro=1)

    @cached(32)
    def bubbles(of_any_micro: Setting) -> Curves:
        """The bubble of every schedule against the number of micro-batches: (counts, shares), all that may be chosen.
        A schedule that never runs is left out."""
        found = {}
        for name in SCHEDULES:
            try:
                counts, shares = pipeline.bubbles(name, of_any_micro, COUNTS)
            except BadSchedule:
                continue
            if len(counts):
                found[name] = counts, shares
        return found

    @cached(32)
    def checks(schedule: str, setting: Setting) -> list[Check]:
        """The identities on the chosen run; none where it cannot run."""
        run = _run(schedule, setting)
        if not isinstance(run, Run):
            return []
        return [
            checks.one_thing_at_a_time(run),
            checks.nothing_before_its_input(run),
            checks.everything_once(run),
            checks.gpipe_bubble(setting),
        ]


@st.cache_resource(max_entries=256, show_spinner=False)  # frozen: shared, not pickled
def _run(schedule: str, setting: Setting) -> Run | BadSchedule:
    try:
        return pipeline.simulate(schedule, setting)
    except BadSchedule as error:
        return error
