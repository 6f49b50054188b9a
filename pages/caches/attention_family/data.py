"""What several parts of the page Attention family share: a model with its text, identities, and one head's turned
product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tlmviz.analysis.caches.turning import Turning, turned
from tlmviz.checks import Check, caches_family, measure
from tlmviz.config import ModelConfig
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker


@dataclass(frozen=True)
class Reading:
    """A model and the text it reads: what most measures of the page depend on, whatever part of it is open."""

    model: str
    text: str

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.model)

    @property
    def config(self) -> ModelConfig:
        return self.lm.config

    @property
    def trace(self) -> Trace:
        """Its pass over the text."""
        return compute.trace(self.model, self.text)

    @cached(64)
    def checks(model: str, text: str) -> list[Check]:
        """The identities behind this page, measured on this text."""
        lm, trace = compute.model(model), compute.trace(model, text)
        return run_in_worker(lambda: measure(caches_family, lm, trace), len(trace))

    @property
    def query_product(self) -> tuple[str, str]:
        """What a query is made from and by which matrix: x_t and W_Q, or c_Q and W_↑Q."""
        return ("x_t", "W_Q") if self.config.attention.query_latent_dim is None else ("c_Q", "W_↑Q")


@dataclass(frozen=True)
class Shown:
    """What a part shows that reads a text by a model."""

    chosen: Any

    @property
    def reading(self) -> Reading:
        return Reading(self.chosen.model, self.chosen.text)

    @property
    def checks(self) -> list[Check]:
        return self.reading.checks


class Turned(Shown):
    """And one head of it."""

    @cached(32)
    def turned(reading: Reading, head: tuple[int, int]) -> Turning:
        """The head's product of W_Q and W_K', or W_↑K', under RoPE at some distances."""
        lm, trace = reading.lm, reading.trace
        return run_in_worker(lambda: turned(lm, trace, *head), len(trace))
