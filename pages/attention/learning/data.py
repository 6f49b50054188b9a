"""Everything that the page Learning shows: a training's record, the maps at the steps that were kept, and when heads
turned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import streamlit as st

from tlmviz import monitoring
from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.checkpoints.folders import AT, run_folders, steps_of
from tlmviz.monitoring import Event
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as computing
from tlmviz.ui import training_runs

from .state import INDUCTION, PREVIOUS, SHARES, Head, Learning

MOST_TOKENS = 40  # of a text whose maps are shown
MOST_HEADS = 64  # whose maps are shown at once; of more, those of one layer


@dataclass(frozen=True, eq=False)
class Record:
    """A training as it was measured: M measurements of N heads, layer by layer, losses, and what the rules noticed."""

    steps: np.ndarray  # [M]
    layers: int
    heads: int
    values: dict[str, np.ndarray]  # statistic -> [M, N]
    loss_steps: np.ndarray  # [K]
    losses: dict[str, np.ndarray]  # name -> [K], NaN where there is none
    events: tuple[Event, ...]

    def head(self, number: int) -> Head:
        """Layer and head by a head's number."""
        return divmod(number, self.heads)

    def number(self, head: Head) -> int:
        """The number of a head."""
        return head[0] * self.heads + head[1]

    def turn(self, statistic: str, number: int) -> Turn | None:
        """How a head came to the most of a statistic, as rise times are told: from the last measurement within a tenth
        of its range to the first beyond nine tenths; None where it never rose."""
        own = np.nan_to_num(self.values[statistic][:, number])
        peak = int(own.argmax())
        least = float(own[: peak + 1].min())
        high = int(np.argmax(own >= least + 0.9 * (own[peak] - least)))
        low = int(np.flatnonzero(own[: high + 1] <= least + 0.1 * (own[peak] - least)).max())
        if low == high:
            return None
        before, after = int(self.steps[low]), int(self.steps[high])
        return Turn(self.head(number), before, after, float(own[low]), float(own[high]))

    def at(self, statistic: str, step: int) -> np.ndarray:
        """A statistic of all heads [N] at the last measurement up to a step, 0 where there is none."""
        measured = int(np.searchsorted(self.steps, step, side="right")) - 1
        return np.nan_to_num(self.values[statistic][max(0, measured)])


@dataclass(frozen=True, eq=False)
class Maps:
    """The attention maps of a text at the steps that were kept: weights [S, N, T, T] of the heads `shown`.

    `read` counts the tokens of the whole text, of which the first T are shown.
    """

    read: int
    tokens: tuple[str, ...]
    weights: np.ndarray


@dataclass(frozen=True)
class Turn:
    """The rise of a head's statistic: the measurements at which it begins and is done, and the values there."""

    head: Head
    before: int  # steps
    after: int
    low: float
    high: float


@dataclass(frozen=True)
class Proof:
    """What a head's induction on a text comes to where the helper is muted, and at least where another head of its
    layer is.

    Shares of weight, the mean over the text's queries that have something to find.
    """

    whole: float
    without: float
    others: float


@dataclass(frozen=True)
class Data:
    """A training, and where in it one looks."""

    chosen: Learning

    @property
    def names(self) -> list[str]:
        """The trainings that can be shown, those that `tlmviz run` was given first."""
        return list(run_folders())

    @cached_property
    def record(self) -> Record:
        """What was measured. Raises UnknownName where the run is gone, BadFile for what is none."""
        return record(self.chosen.run)

    @cached_property
    def model(self) -> str | None:
        """The model that reads any text at the steps kept; None for a run that kept no weights."""
        return self.chosen.run if steps_of(self.chosen.run) else None

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps to walk over: those whose maps there are, else those measured."""
        kept = kept_steps(self.chosen.run)
        return kept or tuple(map(int, self.record.steps))

    @property
    def values(self) -> np.ndarray:
        """The chosen statistic [M, N]."""
        return self.record.values[self.chosen.statistic]

    @cached_property
    def turn(self) -> Turn | None:
        """How the head that reaches the most of the chosen statistic came to it; None where it never rose."""
        every = np.nan_to_num(self.values)
        return self.record.turn(self.chosen.statistic, int((every - every[0]).max(0).argmax()))

    @cached_property
    def helper(self) -> Turn | None:
        """How the head came to look at the token before that an induction head reads: in an earlier layer, the most so
        when the induction head has turned. None where there is none, or curves are of something else."""
        turn = self.turn
        if self.chosen.statistic != INDUCTION or turn is None or PREVIOUS not in self.record.values:
            return None
        earlier = self.record.at(PREVIOUS, turn.after)[: self.record.number((turn.head[0], 0))]
        return self.record.turn(PREVIOUS, int(earlier.argmax())) if earlier.size else None

    @cached_property
    def proof(self) -> Proof | None:
        """What the head that turned does on the text at the step looked at without the helper; None where the run kept
        no weights, or the text has nothing to find."""
        if self.there is None or self.helper is None or self.turn is None:
            return None
        return _proof(self.there, self.chosen.text, self.turn.head, self.helper.head)

    @property
    def step(self) -> int:
        """The step looked at: that of the link or of the slider, else the one after the rise; one that can be gone
        to."""
        asked = self.chosen.step
        if asked is None:
            after = self.turn.after if self.turn else self.steps[-1]
            return next((step for step in self.steps if step >= after), self.steps[-1])
        return max((step for step in self.steps if step <= asked), default=self.steps[0])

    @property
    def there(self) -> str | None:
        """The name of the model at that step; the last one is the finished model."""
        return None if self.model is None else at_step(self.model, self.step)

    @property
    def head(self) -> Head:
        """The head looked at: the chosen one where the training has it, else the one that rises the most."""
        asked = self.chosen.head
        if asked is not None and asked[0] < self.record.layers and asked[1] < self.record.heads:
            return asked
        return self.turn.head if self.turn else (0, 0)

    @property
    def number(self) -> int:
        """The number of the head looked at."""
        return self.record.number(self.head)

    @property
    def shown(self) -> list[int]:
        """The heads whose maps are shown: all, or those of the chosen head's layer."""
        count = self.record.layers * self.record.heads
        if count <= MOST_HEADS:
            return list(range(count))
        first = self.head[0] * self.record.heads
        return list(range(first, first + self.record.heads))

    @cached_property
    def maps(self) -> Maps | None:
        """The maps at the steps kept; None for a run that kept none."""
        if not kept_steps(self.chosen.run):
            return None
        if self.model:
            return maps_of_model(self.model, self.chosen.text)
        layer = None if len(self.shown) == self.record.layers * self.record.heads else self.head[0]
        return maps_of_run(self.chosen.run, layer)

    def loss(self, name: str, step: int) -> float:
        """A loss at the last step up to a step at which there is one; NaN where there is none."""
        there = np.isfinite(self.record.losses[name]) & (self.record.loss_steps <= step)
        return float(self.record.losses[name][there][-1]) if there.any() else float("nan")


def record(name: str) -> Record:
    """A training's record, as far as it goes. Raises UnknownName where it is gone, BadFile for what is none."""
    folder = training_runs.folder_of(name)
    stamps = tuple(path.stat().st_mtime for path in sorted(folder.glob("*")) if path.is_file())
    return _record(folder, stamps)


@st.cache_resource(max_entries=8, show_spinner=False)
def _record(folder: Path, stamps: tuple[float, ...]) -> Record:
    run = training_runs.measured(folder)
    table, told = run.heads, run.losses
    steps = table["step"].to_numpy()
    heads, layers = int(table["head"].max()) + 1, int(table["layer"].max()) + 1
    every = np.unique(steps)
    named = {*SHARES, "entropy", "distance", "max_logit", "output_norm", "update_ratio"}
    values = {
        column: table[column].to_numpy(dtype=np.float32).reshape(len(every), -1) for column in table if column in named
    }
    losses = {str(name): told[name].to_numpy(dtype=np.float32) for name in told if name != "step"}
    return Record(every, layers, heads, values, told["step"].to_numpy(), losses, tuple(run.events))


def kept_steps(name: str) -> tuple[int, ...]:
    """The steps at which maps can be shown: of a model those whose weights were kept, of another run its snapshots."""
    if kept := steps_of(name):
        return (*kept, int(record(name).steps[-1]))
    folder = run_folders().get(name)
    return tuple(monitoring.read(folder).snapshot_files) if folder else ()


def at_step(model: str, step: int) -> str:
    """The name of a model at one of its steps; the last one is the finished model."""
    return _at(model, step, steps_of(model))


def _at(model: str, step: int, kept: tuple[int, ...]) -> str:
    return f"{model}{AT}{step}" if step in kept else model


@st.cache_resource(max_entries=16, show_spinner=False)
def maps_of_model(model: str, text: str) -> Maps:
    """A text's maps at every step that a model was kept at."""
    kept, steps = steps_of(model), kept_steps(model)
    networks = [computing.model(_at(model, step, kept)) for step in steps]
    whole = networks[0].encode(text)
    ids = whole[:MOST_TOKENS]
    traces = computing.run_in_worker(lambda: [lm.trace_ids(ids) for lm in networks], len(steps) * len(ids))
    return _maps(traces, None, len(whole))


@st.cache_resource(max_entries=32, show_spinner=False)
def _proof(model: str, text: str, head: Head, helper: Head) -> Proof | None:
    lm = computing.model(model)
    ids = lm.encode(text)[:MOST_TOKENS]
    others = [(helper[0], other) for other in range(lm.config.n_heads) if other != helper[1]]

    def share(muted: list[Head]) -> float:
        found = lm.trace_ids(ids, edit=mute_heads(muted)).statistics()["induction"]
        return float(found[head[0] * lm.config.n_heads + head[1]])

    def work() -> Proof | None:
        whole = share([])
        if np.isnan(whole):
            return None
        return Proof(whole, share([helper]), min(share([other]) for other in others))

    return computing.run_in_worker(work, (len(others) + 2) * len(ids)) if others else None


@st.cache_resource(max_entries=8, show_spinner=False)
def maps_of_run(name: str, layer: int | None) -> Maps:
    """The maps of a run's first probe at its snapshots; of one layer where it has many heads."""
    kept = monitoring.read(run_folders()[name]).snapshots
    traces = [each[0] for each in kept.values()]
    return _maps(traces, layer, len(traces[0]))


def _maps(traces: list[Trace], layer: int | None, read: int) -> Maps:
    size = min(MOST_TOKENS, len(traces[0]))
    layers = range(traces[0].n_layers) if layer is None else [layer]
    weights = np.stack(
        [
            np.concatenate([trace.attentions(each, rows=slice(0, size))[..., :size].float().numpy() for each in layers])
            for trace in traces
        ]
    )
    return Maps(read, tuple(traces[0].tokens[:size]), weights)
