"""Everything that the part Master weights shows: a weight through many additions, logged runs, a real step of AdamW."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from tlmviz.analysis.numbers import master_weights
from tlmviz.analysis.numbers.formats import find, read
from tlmviz.analysis.numbers.half_runs import RUNS
from tlmviz.analysis.numbers.master_weights import STORED, Updates
from tlmviz.checks import Check
from tlmviz.errors import BadText
from tlmviz.ui import compute
from tlmviz.ui.cached import cached

from ..dynamic.data import runs
from ..gradients.data import Data as Gradients
from ..gradients.data import ids_of
from .state import STEPS, Master

RATES = np.geomspace(1e-6, 1e-2, 41)
FP32, BF16, FP16, DIE = "weights-fp32", "weights-bf16", "weights-fp16", "weights-stochastic"  # logged runs


@dataclass(frozen=True)
class Data:
    """A weight that is added to, logged runs, and a step of AdamW."""

    chosen: Master

    @property
    def weight(self) -> float:
        """The weight; the default where no number of FP32 is typed."""
        return _finite(self.chosen.weight, float(Master.weight.default))

    @property
    def update(self) -> float:
        """What is added to it."""
        return _finite(self.chosen.update, float(Master.update.default))

    @property
    def refused(self) -> dict[str, float]:
        """What was typed and is no number, and the number in its place."""
        typed = ((self.chosen.weight, self.weight), (self.chosen.update, self.update))
        return {text: value for text, value in typed if _finite(text, None) is None}

    @cached(32)
    def paths(weight: float, update: float) -> dict[str, np.ndarray]:
        """The weight through the additions, by how it is kept."""
        return master_weights.added(weight, update, STEPS)

    @property
    def log(self) -> pd.DataFrame:
        """The logged steps. Raises BadCheckpoint."""
        return runs()

    @cached_property
    def learned(self) -> dict[str, np.ndarray]:
        """The losses of the logged runs that keep weights in few bits, by the run's key."""
        return {
            key: self.log.loc[self.log["run"] == key, "loss"].to_numpy() for key, spec in RUNS.items() if spec.trained
        }

    def still(self, run: str) -> float:
        """The share of the weights that a logged step left as they were."""
        return float(self.log.loc[self.log["run"] == run, "kept"].mean())

    @cached(4)
    def updates(model: str, text: str | None) -> Updates:
        """What AdamW adds to the model's weights. Raises BadText."""
        lm, ids = compute.model(model), ids_of(model, text)
        return compute.run_in_worker(lambda: master_weights.adamw_updates(lm, ids), ids.numel(), gradients=True)

    @cached(4)
    def unchanged(model: str, text: str | None) -> dict[str, np.ndarray]:
        """The share of weights that a step leaves as they are, for each of RATES, by the format they are kept in."""
        found = Data.updates(model, text)
        return {
            key: np.array([master_weights.unchanged(found, dtype, float(rate)) for rate in RATES])
            for key, dtype in STORED.items()
        }

    @property
    def checks(self) -> list[Check]:
        """The identities on this step."""
        return Gradients.checks(self.chosen.model, self.chosen.text)


def _finite(text: str, otherwise: Any) -> Any:
    """A number as it is typed, if FP32 holds it."""
    try:
        value = read(text, find("fp32"))
    except BadText:
        return otherwise
    return value if abs(value) <= find("fp32").largest else otherwise
