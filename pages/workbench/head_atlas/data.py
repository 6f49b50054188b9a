"""Everything that the page Head atlas shows: a survey's heads and those that a query names, or one head and its
passages."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.workbench.survey import STATISTICS, Survey, find
from tlmviz.analysis.workbench.survey.finding import COLUMNS
from tlmviz.checkpoints.folders import AT, HEADS, SURVEYS, run_folders, survey_folders
from tlmviz.checks import Check
from tlmviz.checks import workbench_survey as checks
from tlmviz.errors import BadQuery, UnknownName
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import training_runs
from tlmviz.ui.language import N_

from .state import Atlas, Head


@dataclass(frozen=True, eq=False)
class Passage:
    """One of a head's top passages, as the survey has it."""

    number: int
    value: float
    text: str
    source: str
    start: int  # the token of the source at which it begins


@dataclass(frozen=True, eq=False)
class Reading:
    """A passage read again by the survey's model."""

    trace: Trace
    weights: np.ndarray  # [T, T]
    row: int  # where the statistic is largest


@dataclass(frozen=True, eq=False)
class AtStep:
    """The heads of a training as they were measured at a step, as far as a survey has them: a line each, without
    passages.

    `spans` are the least and the largest of each column over all steps, `first` the heads at the first.
    """

    settings: dict[str, Any]
    step: int
    heads: pd.DataFrame
    first: pd.DataFrame
    spans: dict[str, tuple[float, float]]
    missing: int = 0


@dataclass(frozen=True)
class Data:
    """What the page shows of a survey; what a view does not show is not computed."""

    chosen: Atlas

    @cached_property
    def found(self) -> Survey | AtStep:
        """The survey, or the training at its step. Raises UnknownName where it is gone, BadFile for what is none."""
        return opened(self.chosen.survey)

    # --- what there is ----------------------------------------------------------------------------------

    @cached_property
    def names(self) -> dict[str, bool]:
        """The surveys there are, and behind them the trainings, whose names end in AT; which of them are trainings."""
        surveys = survey_folders()
        every = *surveys, *(f"{name}{AT}" for name in run_folders())
        return {name: name.endswith(AT) and name not in surveys for name in every}

    @property
    def start(self) -> str:
        """The survey that the page opens on: one that was named on starting, else the model's own or that of its
        training, else the default model's."""
        names, model = list(self.names), self.chosen.model
        if os.environ.get(SURVEYS):
            return names[0]
        wanted = model, f"{model.partition(AT)[0]}{AT}", shared.DEFAULT_MODEL
        return next((name for name in wanted if name in names), names[0])

    @property
    def steps(self) -> list[int]:
        """The steps that were measured of the training. Raises UnknownName and BadFile."""
        return sorted(map(int, _table(self.chosen.survey.removesuffix(AT))["step"].unique()))

    @property
    def striking(self) -> Head:
        """The head with the most induction, else the first."""
        values = self.heads["induction"].to_numpy()
        return divmod(int(np.nan_to_num(values, nan=-1.0).argmax()), self.found.settings["heads"])

    @property
    def stands_out(self) -> str:
        """The statistic by which the head is farthest above the others, in standard deviations."""
        values = self.heads[list(STATISTICS)].to_numpy(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            away = (values[self.index] - np.nanmean(values, 0)) / np.nanstd(values, 0)
        return STATISTICS[int(np.nan_to_num(away, nan=-9.0, posinf=-9.0).argmax())]

    @property
    def heads(self) -> pd.DataFrame:
        """A line for each head, layer by layer."""
        return self.found.heads

    @property
    def trained(self) -> AtStep | None:
        """The training at its step; None for a survey."""
        return self.found if isinstance(self.found, AtStep) else None

    @property
    def reader(self) -> LanguageModel | None:
        """The model that the survey is of; None where it is not here, or has other heads."""
        return _reader(self.found.settings)

    @property
    def tokens(self) -> int:
        """Over which the survey averages."""
        return int(self.found.passages.tokens.sum())

    # --- all heads --------------------------------------------------------------------------------------

    @cached_property
    def wrong(self) -> BadQuery | None:
        """What is wrong with the query, if anything."""
        try:
            find(self.heads, self.chosen.query)
        except BadQuery as error:
            return error
        return None

    @property
    def searched(self) -> bool:
        """Whether a query names heads."""
        return bool(self.chosen.query.strip()) and self.wrong is None

    @cached_property
    def lit(self) -> np.ndarray:
        """Which heads the query names [N]; all of them where it cannot be read."""
        return find(self.heads, "" if self.wrong else self.chosen.query)

    # --- one head ---------------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        """The head's line."""
        layer, head = self.chosen.head
        return layer * self.found.settings["heads"] + head

    @property
    def values(self) -> np.ndarray:
        """Of all heads, the statistic by which passages are chosen [N]."""
        return self.heads[self.chosen.statistic].to_numpy(float)

    @cached_property
    def deciles(self) -> np.ndarray:
        """Of the head, each statistic's deciles over passages [S, 11]."""
        rows = self._of(self.found.deciles).pivot(index="statistic", columns="decile", values="value")
        return rows.loc[list(STATISTICS)].to_numpy(np.float32)

    @property
    def spread(self) -> np.ndarray:
        """The deciles of the statistic by which passages are chosen [11]."""
        return self.deciles[STATISTICS.index(self.chosen.statistic)]

    @cached_property
    def shares(self) -> np.ndarray:
        """How much of its weight lies how far back, the head's and the mean head's [2, bins]."""
        every = self.found.distances.share.to_numpy(np.float32).reshape(len(self.heads), -1)
        return np.stack([every[self.index], every.mean(0)])

    @property
    def bins(self) -> list[str]:
        """The distances of `shares`."""
        return self.found.distances.bin.iloc[: self.shares.shape[1]].tolist()

    def ranked(self, role: str) -> list[tuple[str, float]]:
        """The tokens that the head looks from ("query") or at ("key") most, with their shares."""
        rows = self._of(self.found.tokens)
        rows = rows[(rows.role == role) & (rows.share > 0)].sort_values("rank")
        return [(token, float(share)) for token, share in zip(rows.token, rows.share)]

    @cached_property
    def tops(self) -> list[Passage]:
        """The passages in which the statistic is largest, the largest first."""
        rows = self._of(self.found.tops)
        rows = rows[rows.statistic == self.chosen.statistic].sort_values("rank")
        texts = self.found.passages.set_index("passage")
        return [
            Passage(int(row.passage), float(row.value), str(text.text), str(text.source), int(text.start))
            for row in rows.itertuples()
            if row.passage in texts.index
            for text in [texts.loc[row.passage]]
        ]

    @property
    def top(self) -> int:
        """Which of them is shown."""
        return min(self.chosen.top, max(0, len(self.tops) - 1))

    @property
    def passage(self) -> Passage | None:
        """The one that is shown; None where there is none."""
        return self.tops[self.top] if self.tops else None

    @cached_property
    def read(self) -> Reading | None:
        """That passage read again now; None where there is none, or its model is not here."""
        lm = self.reader
        if self.passage is None or lm is None:
            return None
        text, _ = lm.fit(self.passage.text)
        trace = shared.trace(self.found.settings["model"], text)
        layer, head = self.chosen.head

        def work() -> tuple[np.ndarray, int]:
            rows = trace.row_statistics()[self.chosen.statistic][layer, head, 1:].float().numpy()
            return trace.attention(layer, head).float().numpy(), 1 + int(np.nan_to_num(rows, nan=-1.0).argmax())

        return Reading(trace, *shared.run_in_worker(work, len(trace)))

    @property
    def pin(self) -> int:
        """The token of the passage whose row is shown."""
        if self.read is None:
            return 0
        return self.read.row if self.chosen.pin is None else min(self.chosen.pin, len(self.read.trace) - 1)

    @property
    def checks(self) -> list[Check]:
        """The head's number of the passage that is shown, computed again now."""
        if self.read is None or self.passage is None:
            return []
        trace, stored = self.read.trace, [(self.chosen.statistic, *self.chosen.head, self.passage.value)]
        return shared.run_in_worker(lambda: [checks.survey_equals_pass(trace, stored)], len(trace))

    def _of(self, table: pd.DataFrame) -> pd.DataFrame:
        layer, head = self.chosen.head
        return table[(table.layer == layer) & (table["head"] == head)]


def opened(name: str) -> Survey | AtStep:
    """A survey by its name, or a training at a step, as far as it goes. Raises UnknownName where it is gone, BadFile
    for what is none."""
    folder = survey_folders().get(name)
    run, at, step = name.rpartition(AT)
    if folder is None and at and step.isdecimal():
        return _at_step(run, int(step))
    if folder is None:
        raise UnknownName(N_("There is no survey “{name}” here any more; choose another one."), name=name[:60])
    return _opened(folder, _stamp(folder))


def _at_step(run: str, step: int) -> AtStep:
    table = _table(run)
    last = table["step"][table["step"] <= step].max()  # the last measurement up to it
    heads, first = (
        table[table["step"] == each].sort_values(["layer", "head"]).reset_index(drop=True)
        for each in (last, table["step"].min())
    )
    spans = {column: (float(table[column].min()), float(table[column].max())) for column in COLUMNS}
    sizes = {"layers": int(heads["layer"].max()) + 1, "heads": int(heads["head"].max()) + 1}
    return AtStep({"model": run} | sizes, int(last), heads, first, spans)


def _table(run: str) -> pd.DataFrame:
    """A training's measurements, a line per step and head. Raises UnknownName where it is gone, BadFile for what is
    none."""
    folder = training_runs.folder_of(run)
    return _measured(folder, (folder / HEADS).stat().st_mtime)


@st.cache_resource(max_entries=8, show_spinner=False)
def _measured(folder: Path, stamp: float) -> pd.DataFrame:
    return training_runs.measured(folder).heads


def _stamp(folder: Path) -> tuple[float, int]:
    """What changes when a survey goes on."""
    times = [path.stat().st_mtime for path in folder.glob("*") if path.is_file()]
    return max(times, default=0.0), sum(1 for _ in (folder / "shards").glob("*.npz"))


@st.cache_resource(max_entries=8, show_spinner=False)
def _opened(folder: Path, stamp: tuple[float, int]) -> Survey:
    if Survey(folder).finished:
        found = Survey.open(folder)
        _ = found.heads
        return found
    lm = _reader(Survey(folder).settings)
    return Survey.so_far(folder, str if lm is None else lm.tokenizer.name)


def _reader(settings: dict) -> LanguageModel | None:
    """The model that a survey with these settings is of; None where it is not here, or has other heads."""
    if settings["model"] not in shared.models():
        return None
    lm = shared.model(settings["model"])
    return lm if (lm.config.n_layers, lm.config.n_heads) == (settings["layers"], settings["heads"]) else None
