"""Everything that the part Tiles shows: a head's walk over its tiles step by step, and the checks on it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.kernels import tile_steps
from tlmviz.analysis.kernels.kernel_run import KernelRun, run_kernel
from tlmviz.analysis.kernels.tile_steps import TileStep
from tlmviz.analysis.kernels.tiling import Inputs, TileWalk
from tlmviz.checks import Check, kernels_tiles
from tlmviz.errors import BadBackend
from tlmviz.kernels.interpreted import Interpreter
from tlmviz.ui import compute as computing
from tlmviz.ui.cached import cached

from .state import Tiles

BYTES = 4  # of a float32


@dataclass(frozen=True)
class Walked:
    """A head's inputs and the walk over its tiles (its first 64 positions), and the weights [T, T]."""

    inputs: Inputs
    walk: TileWalk
    weights: np.ndarray
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Data(computing.TextRead):
    """What the part shows."""

    chosen: Tiles

    @cached(16)
    def done(model: str, text: str, layer: int, head: int, rows: int, cols: int) -> Walked:
        """All of the walk."""
        trace = computing.trace(model, text)

        def work() -> Walked:
            case = kernels_tiles.tiles(trace, layer, head, rows, cols)
            inputs, walk, weights = case
            checks = (kernels_tiles.tiles_are_attention(*case), kernels_tiles.order_of_tiles_is_free(*case))
            return Walked(inputs, walk, weights.numpy(), checks)

        return computing.run_in_worker(work, computing.about(text))

    @property
    def inputs(self) -> Inputs:
        return self.done.inputs

    @property
    def walk(self) -> TileWalk:
        return self.done.walk

    @property
    def checks(self) -> tuple[Check, ...]:
        """That tiles make what the whole map makes, in any order."""
        return self.done.checks

    @property
    def tokens(self) -> list[str]:
        """Of the whole text."""
        return self.trace.tokens

    @property
    def length(self) -> int:
        """Tokens that are walked."""
        return len(self.inputs.q)

    @property
    def skipped(self) -> int:
        """Tiles behind the mask, which are never loaded."""
        return int(self.walk.skipped.sum())

    @cached_property
    def steps(self) -> list[TileStep]:
        """What happens one after the other."""
        return tile_steps.tile_steps(self.walk, self.inputs.biased)

    @property
    def moved(self) -> dict[str, int]:
        """Bytes to and from HBM, of the kernel and of standard attention."""
        standard = tile_steps.naive_moves(*self.inputs.q.shape)
        return {"kernel": int(self.steps[-1].moved) * BYTES, "standard": standard * BYTES}

    def warm_up(self) -> None:
        """Start the process that interprets the kernel, without waiting for it, where it will be needed: a first run
        then finds it ready."""
        if not torch.cuda.is_available():
            with contextlib.suppress(BadBackend):  # a run says why
                interpreter().start()

    def kernel(self) -> KernelRun:
        """The Triton kernel on the chosen head. Raises BadBackend. Waits outside of the model's thread, which others
        need."""
        return run_kernel(self.inputs, interpreter())


@st.cache_resource(show_spinner=False)
def interpreter() -> Interpreter:
    """The server's one process that interprets the kernel."""
    return Interpreter()
