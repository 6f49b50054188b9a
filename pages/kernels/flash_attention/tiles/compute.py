"""Everything the part Tiles computes, cached: a head's walk over its tiles, with the checks on it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.kernels.kernel_run import KernelRun, run_kernel
from tlmviz.analysis.kernels.tiling import Inputs, TileWalk
from tlmviz.checks import Check, kernels_tiles
from tlmviz.errors import BadBackend
from tlmviz.kernels.interpreted import Interpreter
from tlmviz.ui import compute

from .controls import TileChoice


@dataclass(frozen=True)
class Tiles:
    """A head's inputs and the walk over its tiles (the first 64 positions), the weights [T, T], and both checks."""

    inputs: Inputs
    walk: TileWalk
    weights: np.ndarray
    checks: tuple[Check, ...]


@st.cache_resource(max_entries=16, show_spinner=False)
def tiles(choice: TileChoice) -> Tiles:
    """The tiles of the chosen head."""
    trace = choice.at.trace

    def work() -> Tiles:
        case = kernels_tiles.tiles(trace, choice.at.layer, choice.at.head, choice.rows, choice.cols)
        inputs, walk, weights = case
        checks = (kernels_tiles.tiles_are_attention(*case), kernels_tiles.order_of_tiles_is_free(*case))
        return Tiles(inputs, walk, weights.numpy(), checks)

    return compute.run_in_worker(work, compute.about(choice.at.text))


@st.cache_resource(show_spinner=False)
def interpreter() -> Interpreter:
    """The server's one process that interprets the kernel."""
    return Interpreter()


def warm_up() -> None:
    """Start that process, without waiting for it, where it will be needed: a first run then finds it ready."""
    if not torch.cuda.is_available():
        with contextlib.suppress(BadBackend):  # a run says why
            interpreter().start()


def kernel(choice: TileChoice) -> KernelRun:
    """The Triton kernel on the chosen head. Raises BadBackend. Waits outside of the model's thread, which others need."""
    return run_kernel(tiles(choice).inputs, interpreter())
