"""Everything that the part Warm-up shows: logged first steps, and the gradient of a text's loss through two
networks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers import norm_depth, warmup
from tlmviz.analysis.numbers.norm_depth import Flow
from tlmviz.analysis.numbers.warmup import Logged
from tlmviz.checks import Check
from tlmviz.checks import numbers_norms as checks
from tlmviz.ui import compute
from tlmviz.ui.cached import cached

from .state import STREAM, TRAINED, Warmup

PRE, POST = MODELS = "zoo-rope", "zoo-post"  # alike in all but where their norms are
LAST = 10  # steps whose mean loss is a run's end


@dataclass(frozen=True)
class Data:
    """Four logged runs at one rate, and two networks on a text."""

    chosen: Warmup

    @cached_property
    def runs(self) -> list[Logged]:
        """The runs at the chosen rate. Raises BadCheckpoint."""
        return [run for run in _runs() if f"{run.peak:g}" == self.chosen.rate]

    def gradient(self, run: Logged) -> np.ndarray:
        """A run's gradient through depth at the chosen step."""
        found = run.stream if self.chosen.of == STREAM else run.weights
        return found[list(run.moments).index(self.chosen.moment)]

    @cached_property
    def flows(self) -> dict[str, Flow]:
        """The gradient of the text's loss through each of MODELS, or through fresh networks of their kinds. Raises
        BadText."""
        chosen, text = self.chosen, self.chosen.text or ""
        return {
            name: _flow(name, text) if chosen.when == TRAINED else _flow_before(name, text, chosen.layers)
            for name in MODELS
        }

    @cached(16)
    def checks(text: str | None) -> list[Check]:
        """The identity behind this part, on both models."""
        return compute.run_in_worker(
            lambda: [checks.gradient_is_the_slope(compute.model(name), text or "") for name in MODELS], gradients=True
        )


def end(run: Logged) -> float:
    """The mean loss of a run's last steps."""
    return float(run.loss[-LAST:].mean())


@st.cache_resource(show_spinner=False)
def _runs() -> list[Logged]:
    return warmup.read()


@st.cache_resource(max_entries=32, show_spinner=False)
def _flow(model: str, text: str) -> Flow:
    lm = compute.model(model)
    ids = lm.encode(lm.fit(text)[0])
    return compute.run_in_worker(lambda: norm_depth.flow(lm.network, ids), len(ids), gradients=True)


@st.cache_resource(max_entries=32, show_spinner=False)
def _flow_before(model: str, text: str, layers: int) -> Flow:
    lm = compute.model(model)
    ids = lm.encode(lm.fit(text)[0])
    return compute.run_in_worker(
        lambda: norm_depth.flow(norm_depth.before_training(lm.config, layers), ids), len(ids), gradients=True
    )
