"""What several parts of the page Attention family share: a model with its text, identities, and one head's turned
product."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.caches.turning import Turning, turned
from tlmviz.checks import Check, caches_family, measure
from tlmviz.config import ModelConfig
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute
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

    @property
    def checks(self) -> list[Check]:
        """The identities behind this page, measured on this text."""
        return _checks(self)

    @property
    def query_product(self) -> tuple[str, str]:
        """What a query is made from and by which matrix: x_t and W_Q, or c_Q and W_↑Q."""
        return ("x_t", "W_Q") if self.config.attention.query_latent_dim is None else ("c_Q", "W_↑Q")


@st.cache_resource(max_entries=64, show_spinner=False)
def _checks(reading: Reading) -> list[Check]:
    lm, trace = reading.lm, reading.trace
    return run_in_worker(lambda: measure(caches_family, lm, trace), len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def turning(reading: Reading, layer: int, head: int) -> Turning:
    """One head's product under RoPE at some distances."""
    lm, trace = reading.lm, reading.trace
    return run_in_worker(lambda: turned(lm, trace, layer, head), len(trace))
