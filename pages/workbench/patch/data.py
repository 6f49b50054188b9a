"""Everything that the page Patch shows: both runs, the preview, the exact grid in slices of the model thread, patched
runs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
import streamlit as st
from torch import Tensor

from tlmviz.analysis.workbench import patching
from tlmviz.analysis.workbench.patching import POSITION_KINDS, Cell, Task
from tlmviz.checks import Check
from tlmviz.checks import workbench_patching as checks
from tlmviz.errors import Error
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures import readable
from tlmviz.ui import compute as shared
from tlmviz.ui import confirm_long_run
from tlmviz.ui.cached import cached

from .state import BOY, CLEAN, CORRUPTED, GIRL, Patch

AT_ONCE = 1.5  # seconds up to which the exact grid is run unasked
SLICE = 512  # tokens of patched runs between which other pages get their turn
TOP = 4  # tokens of each prediction that are shown
Texts = tuple[str, str, str | None, str | None]  # both texts, both answers
APART = 1.0  # logits between the two runs' leads: of less, a share says little, and none is said
STORY = CLEAN, CORRUPTED
# Texts of letters, for a tokenizer that splits the words of STORY unevenly.
LETTERS = tuple((f"{x} {y} {x} {y} {x}", f"{x} {z} {x} {z} {x}") for x, y, z in permutations("abstowe", 3))


@dataclass
class Exact:
    """The exact grid [L, N] of one choice, NaN where it is not run yet; run in slices, and ended between two of
    them."""

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
        self.slices, self.error = patching.patch_slices(self.lm, self.task, self.kind, SLICE), None

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
        return confirm_long_run.reading_time(self.lm, self.grid.size * len(self.task.clean)) / 2

    @property
    def left(self) -> float:
        """Seconds to go, by what is done already."""
        share = self.share
        return self.seconds / share * (1 - share) if self.seconds > 1 and share > 0.02 else self.expected

    def work(self) -> None:
        """The next slice; what it raises is kept."""
        began = time.perf_counter()
        try:
            layer, cells, values = next(self.slices)
            self.grid[layer, cells] = values.numpy()
        except StopIteration:
            self.running = False
        except Exception as error:
            self.running, self.error = False, error if isinstance(error, Error) else Error(str(error))
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
    """What follows a text: every token's probability [V], both answers' logit difference, and how much of it came
    back."""

    shares: np.ndarray
    difference: float
    restored: float


@dataclass(frozen=True)
class Data:
    """What the page shows; the grid grows while it is run. Raises BadText for texts and answers that cannot be
    patched."""

    chosen: Patch

    @property
    def lm(self) -> LanguageModel:
        return shared.model(self.chosen.model)

    @property
    def texts(self) -> Texts:
        """Both texts and both answers."""
        return self.chosen.texts

    @cached(8)
    def task(model: str, texts: Texts) -> Task:
        """Both runs, and the answers between which they decide."""
        lm = shared.model(model)
        return shared.run_in_worker(lambda: patching.task_of(lm, *texts), shared.about(texts[0]))

    @cached(32)
    def job(model: str, texts: Texts, kind: str) -> Exact:
        """The exact grid, which all visitors of one state share: done where that is quick, else not begun."""
        task = Data.task(model, texts)
        job = Exact(shared.model(model), task, kind)
        if job.expected <= AT_ONCE:
            shared.run_in_worker(job.at_once, len(task.clean))
        return job

    @cached(64)
    def preview(model: str, texts: Texts, kind: str) -> np.ndarray:
        """The grid to first order [L, N]."""
        lm, task = shared.model(model), Data.task(model, texts)
        return shared.run_in_worker(
            lambda: patching.patch_preview(lm, task, kind).numpy(), len(task.clean), gradients=True
        )

    @cached(32)
    def opening(model: str) -> tuple[str, str]:
        """The texts at the start: STORY, or others where this model expects the same word behind both."""
        return next((texts for texts in (STORY, (GIRL, BOY), *LETTERS) if all(_expected(model, *texts))), STORY)

    @property
    def expected(self) -> tuple[str, str]:
        """What each text makes the model expect; "" where they cannot be patched into each other."""
        return _expected(self.chosen.model, self.chosen.clean, self.chosen.corrupted)

    @property
    def grid(self) -> np.ndarray:
        """The grid that is drawn: exact where it is known, else the preview."""
        return np.where(np.isnan(self.job.grid), self.preview, self.job.grid)

    @cached_property
    def names(self) -> list[str]:
        """The clean text's tokens."""
        return [readable(token) for token in self.task.clean.tokens]

    @property
    def answers(self) -> tuple[str, str]:
        """The answer and the wrong one."""
        return _named(self.chosen.model, self.task)

    @property
    def compares(self) -> bool:
        """Whether a patch can bring the answer back: the clean text makes the model prefer it, and clearly more than
        the corrupted one does."""
        clean, corrupted = self.task.clean_difference, self.task.corrupted_difference
        return clean > 0 and clean - corrupted >= APART

    @cached_property
    def exchanged(self) -> list[int]:
        """Positions at which the texts differ."""
        return [i for i, (a, b) in enumerate(zip(self.task.clean.ids, self.task.corrupted.ids)) if a != b]

    @cached_property
    def best(self) -> Cell:
        """The patch that brings back most; of the stream, where both texts have the same token, if any does there: what
        the exchanged token itself brings back is no news."""
        grid = self.grid
        if self.chosen.kind == "resid":
            alike = np.delete(np.arange(grid.shape[1]), self.exchanged)
            carried = np.full_like(grid, -np.inf)
            carried[:, alike] = grid[:, alike]
            grid = carried if carried.max() >= 0.005 else grid
        layer, index = np.unravel_index(int(grid.argmax()), grid.shape)
        return Cell(self.chosen.kind, int(layer), int(index))

    @property
    def cell(self) -> Cell:
        """The cell of this kind that was clicked, else the best."""
        cell = self.chosen.cell and Cell(*self.chosen.cell)
        return cell if cell and cell.kind == self.chosen.kind and self.fits(cell) else self.best

    @property
    def chain(self) -> tuple[Cell, ...]:
        """The chain, without what this model and these texts do not have."""
        return tuple(cell for place in self.chosen.chain if self.fits(cell := Cell(*place)))

    def fits(self, cell: Cell) -> bool:
        """Whether the model and the texts have such a cell."""
        both = self.task.clean
        return cell.layer < both.n_layers and cell.index < (len(both) if cell.kind in POSITION_KINDS else both.n_heads)

    def patched(self, *cells: Cell) -> Prediction:
        """What follows the corrupted text with these patches together."""
        return _patched(self.chosen.model, self.texts, cells)

    @cached_property
    def ends(self) -> tuple[Prediction, Prediction]:
        """What follows the corrupted and the clean text."""
        both = self.task
        return _predicted(both, both.corrupted.logits_at(-1)), _predicted(both, both.clean.logits_at(-1))

    @property
    def predictions(self) -> dict[str, Prediction]:
        """The runs side by side: both texts', the chosen patch, and the chain where there is one."""
        corrupted, clean = self.ends
        found = {"corrupted": corrupted, "patched": self.patched(self.cell)}
        if self.chain and self.chain != (self.cell,):
            found["chain"] = self.patched(*self.chain)
        return {**found, "clean": clean}

    @property
    def likely(self) -> list[tuple[str, list[float]]]:
        """The tokens that one of the runs gives most to, each with its probability in every run, largest first."""
        runs = list(self.predictions.values())
        ids = {int(i) for run in runs for i in run.shares.argsort()[::-1][:TOP]}
        names = {i: readable(self.lm.tokenizer.name(i), spaced=True) for i in sorted(ids)}
        rows = [(name, [float(run.shares[i]) for run in runs]) for i, name in names.items()]
        return sorted(rows, key=lambda row: -max(row[1]))

    @cached(16)
    def checks(model: str, texts: Texts) -> list[Check]:
        """The identities behind patching, on these texts."""
        lm, task = shared.model(model), Data.task(model, texts)
        entries: Iterable = (
            checks.everything_patched_is_clean,
            checks.nothing_patched_is_corrupted,
            checks.heads_add_up,
        )
        return shared.run_in_worker(lambda: [entry(lm, task) for entry in entries], len(task.clean), gradients=True)


def _expected(model: str, clean: str, corrupted: str) -> tuple[str, str]:
    with suppress(Error):
        return _named(model, Data.task(model, (clean, corrupted, None, None)))
    return "", ""


def _named(model: str, task: Task) -> tuple[str, str]:
    tokenizer = shared.model(model).tokenizer
    answer, wrong = (readable(tokenizer.name(i)) for i in (task.answer, task.wrong))
    return answer, wrong


def _predicted(task: Task, logits: Tensor) -> Prediction:
    difference = float(logits[task.answer].double() - logits[task.wrong].double())
    shares = logits.double().softmax(-1).float().numpy()
    return Prediction(shares, difference, float(task.restored(logits)))


@st.cache_resource(max_entries=128, show_spinner=False)
def _patched(model: str, texts: Texts, cells: tuple[Cell, ...]) -> Prediction:
    lm, task = shared.model(model), Data.task(model, texts)
    trace = shared.run_in_worker(lambda: patching.patched_trace(lm, task, cells), len(task.clean))
    return _predicted(task, trace.logits_at(-1))
