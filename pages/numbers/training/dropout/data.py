"""Everything that the part Dropout shows: an activation, what masks do to it, and the text's loss under masks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlmviz.analysis.numbers import dropout
from tlmviz.analysis.numbers.dropout import Losses
from tlmviz.checks import Check
from tlmviz.checks import numbers_norms as checks
from tlmviz.errors import UnknownName
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute
from tlmviz.ui.cached import cached

from .state import Dropout

MASKS = 64  # of the text's loss
MOST_VALUES = 12_000  # of an activation that is shown


@dataclass(frozen=True)
class Data:
    """An activation of a model on a text."""

    chosen: Dropout

    @property
    def lm(self) -> LanguageModel:
        """The model. Raises UnknownName for a file of one pass."""
        lm = compute.model(self.chosen.model)
        if lm.task != "language":
            raise UnknownName(
                f"{lm.name} holds one pass and no network; choose a model, whose activations can be looked into."
            )
        return lm

    @cached_property
    def places(self) -> dict[str, str]:
        """Where the model drops out, by tap."""
        return dropout.places(self.lm)

    @property
    def place(self) -> str:
        """The tap that is chosen, else the last."""
        chosen = self.chosen.place
        return chosen if chosen in self.places else list(self.places)[-1]

    @cached(16)
    def activation(model: str, text: str, place: str) -> tuple[np.ndarray, list[str]]:
        """What passes it, [T, C], at most MOST_VALUES of it, and the tokens of its rows. Raises BadText."""
        lm = compute.model(model)

        def work() -> tuple[np.ndarray, list[str]]:
            trace = lm.trace(text, keep=lambda name: name == place)
            x = trace[place].double().cpu().numpy().reshape(len(trace), -1)
            most = max(2, MOST_VALUES // x.shape[1])
            return x[:most], trace.tokens[:most]

        return compute.run_in_worker(work, compute.about(text))

    @property
    def rate(self) -> float:
        """The share that is dropped."""
        return self.chosen.p / 100

    @cached_property
    def error(self) -> float:
        """What the mean of so many masks should be off by, as a share of RMS(X): √(p / (q n)), without 1/q √(p q / n +
        p²)."""
        p, n = self.rate, self.chosen.masks
        return float(np.sqrt(p * (1 - p) / n + p * p) if self.chosen.raw else np.sqrt(p / ((1 - p) * n)))

    @cached(32)
    def losses(model: str, text: str, rate: float, seed: int) -> Losses:
        """The text's loss under masks over all places at once. Raises BadText."""
        lm = compute.model(model)
        ids = lm.encode(text)
        return compute.run_in_worker(lambda: dropout.losses(lm, ids, rate, MASKS, seed), MASKS * len(ids))

    @cached(16)
    def checks(model: str, text: str) -> list[Check]:
        """The identity behind this part."""
        lm = compute.model(model)
        return compute.run_in_worker(lambda: [checks.dropout_keeps_the_mean(lm, text)])
