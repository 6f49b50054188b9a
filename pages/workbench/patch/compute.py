"""Everything the page Patch computes: both runs, the preview, the exact grid in slices of the model thread, patched runs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import streamlit as st
from torch import Tensor

from tlmviz.analysis.workbench import patching
from tlmviz.analysis.workbench.patching import POSITION_KINDS, Cell, Task
from tlmviz.checks import Check
from tlmviz.checks import workbench_patching as checks
from tlmviz.figures import readable
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute as shared
from tlmviz.ui import patience

from .controls import Choice

AT_ONCE = 1.5  # seconds up to which the exact grid is run unasked
SLICE = 512  # tokens of patched runs between which other pages get their turn
TOP = 6  # tokens of a prediction that are shown


@dataclass
class Exact:
    """The exact grid [L, N] of one choice, NaN where it is not run yet; run in slices, and ended between two of them."""

    lm: LanguageModel
    task: Task
    kind: str

    def __post_init__(self) -> None:
        columns = len(self.task.clean) if self.kind in POSITION_KINDS else self.task.clean.n_heads
        self.grid = np.full((self.task.clean.n_layers, columns), np.nan, np.float32)
        self.running, self.seconds = False, 0.0
        self.renew()

    def renew(self) -> None:
        """Begin again, after an error too."""
        self.slices, self.error = patching.patch_slices(self.lm, self.task, self.kind, SLICE), ""

    @property
    def finished(self) -> bool:
        """Whether every cell is known."""
        return not np.isnan(self.grid).any()

    @property
    def share(self) -> float:
        """The share of the work that is done: a patch of an early layer has more layers to go through."""
        layers = len(self.grid)
        weights = np.repeat(np.arange(layers, 0, -1)[:, None], self.grid.shape[1], 1)
        return float((weights * ~np.isnan(self.grid)).sum() / weights.sum())

    @property
    def expected(self) -> float:
        """About how many seconds the whole grid takes."""
        return patience.reading_time(self.lm, self.grid.size * len(self.task.clean)) / 2

    @property
    def left(self) -> float:
        """Seconds to go, by what is done already."""
        share = self.share
        return self.seconds / share * (1 - share) if self.seconds > 1 and share > 0.02 else self.expected

    def work(self) -> None:
        """The next slice; what it raises is kept as a sentence."""
        began = time.perf_counter()
        try:
            layer, cells, values = next(self.slices)
            self.grid[layer, cells] = values.numpy()
        except StopIteration:
            self.running = False
        except Exception as error:
            self.running, self.error = False, str(error)
            raise
        self.seconds += time.perf_counter() - began

    def go_on(self) -> None:
        """Hand the next slice to the model thread, and after it the one behind it."""

        def after(done: Future) -> None:
            if done.exception() is None and self.running:
                with suppress(RuntimeError):  # the server is going down
                    self.go_on()

        shared.submit(self.work, SLICE).add_done_callback(after)

    def begin(self) -> None:
        """Run what is not run yet."""
        if not self.running and not self.finished:
            if self.error:  # what failed once has ended its slices
                self.renew()
            self.running = True
            self.go_on()

    def stop(self) -> None:
        """End behind the slice that runs now; what is known stays."""
        self.running = False

    def at_once(self) -> None:
        """Run all of it while the visitor waits."""
        self.running = True
        while self.running:
            self.work()


@dataclass(frozen=True)
class Prediction:
    """What follows a text: the likeliest tokens with their probabilities, both answers', and their logit difference."""

    tokens: list[str]
    shares: list[float]
    answer: float
    wrong: float
    difference: float
    restored: float


@st.cache_resource(max_entries=8, show_spinner=False)
def _task(choice: Choice) -> Task:
    lm = choice.lm
    return shared.run_in_worker(
        lambda: patching.task_of(lm, choice.clean, choice.corrupted, choice.answer, choice.wrong),
        shared.about(choice.clean),
    )


def task(choice: Choice) -> Task:
    """Both runs. Raises BadText for texts and answers that cannot be patched."""
    return _task(choice.task)


@st.cache_resource(max_entries=64, show_spinner=False)
def preview(choice: Choice) -> np.ndarray:
    """The grid to first order [L, N]."""
    both, lm = task(choice), choice.lm
    return shared.run_in_worker(
        lambda: patching.patch_preview(lm, both, choice.kind).numpy(), len(both.clean), gradients=True
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def exact(choice: Choice) -> Exact:
    """The exact grid, which all visitors of one choice share: done where that is quick, else not begun."""
    job = Exact(choice.lm, task(choice), choice.kind)
    if job.expected <= AT_ONCE:
        shared.run_in_worker(job.at_once, len(job.task.clean))
    return job


def shown(choice: Choice) -> np.ndarray:
    """The grid that is drawn: exact where it is known, else the preview."""
    known = exact(choice).grid
    return np.where(np.isnan(known), preview(choice), known)


def strongest(choice: Choice) -> Cell:
    """The patch that brings back most."""
    layer, index = np.unravel_index(int(shown(choice).argmax()), shown(choice).shape)
    return Cell(choice.kind, int(layer), int(index))


def fits(choice: Choice, cell: Cell | None) -> bool:
    """Whether the model and the texts have such a cell."""
    both = task(choice).clean
    return (
        cell is not None
        and cell.layer < both.n_layers
        and cell.index < (len(both) if cell.kind in POSITION_KINDS else both.n_heads)
    )


def predicted(choice: Choice, logits: Tensor) -> Prediction:
    """What logits [V] say."""
    both, tokenizer = task(choice), choice.lm.tokenizer
    shares = logits.double().softmax(-1)
    values, ids = shares.topk(TOP)
    return Prediction(
        [readable(tokenizer.name(int(i)), spaced=True) for i in ids],
        values.tolist(),
        float(shares[both.answer]),
        float(shares[both.wrong]),
        float(logits[both.answer].double() - logits[both.wrong].double()),
        float(both.restored(logits)),
    )


def ends(choice: Choice) -> tuple[Prediction, Prediction]:
    """What follows the corrupted and the clean text."""
    both = task(choice)
    corrupted, clean = (predicted(choice, trace.logits_at(-1)) for trace in (both.corrupted, both.clean))
    return corrupted, clean


@st.cache_resource(max_entries=64, show_spinner=False)
def patched(choice: Choice, cells: tuple[Cell, ...]) -> Prediction:
    """What follows the corrupted text with these patches together; `choice.kind` does not count."""
    both, lm = task(choice), choice.lm
    trace = shared.run_in_worker(lambda: patching.patched_trace(lm, both, cells), len(both.clean))
    return predicted(choice, trace.logits_at(-1))


@st.cache_resource(max_entries=16, show_spinner=False)
def measured(choice: Choice) -> list[Check]:
    """The identities behind patching, on these texts; `choice.kind` does not count."""
    both, lm = task(choice), choice.lm
    entries: Iterable = (
        checks.everything_patched_is_clean,
        checks.nothing_patched_is_corrupted,
        checks.heads_add_up,
    )
    return shared.run_in_worker(
        lambda: [entry(lm, both) for entry in entries], len(both.clean), gradients=True
    )
