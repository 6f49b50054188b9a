"""Computes the view "Cost", cached: sizes, operations and losses of a model and of those it was trained beside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from pages.experts.experts.controls import Reading
from tlmviz.analysis.experts import routing, training
from tlmviz.analysis.experts.routing import Size
from tlmviz.errors import BadCheckpoint
from tlmviz.ui import compute

FAMILY = ("stories-moe", "stories-moe-aux", "stories-dense")


@dataclass(frozen=True)
class Cost:
    """A model's size, its loss on held-out stories (None where nothing was logged) and on the text, bits per byte."""

    model: str
    size: Size
    held_out: float | None
    here: float


def family(model: str) -> tuple[str, ...]:
    """The models that are compared: those that were trained beside this one, or this one alone."""
    return tuple(name for name in FAMILY if name in compute.models()) if model in FAMILY else (model,)


@st.cache_data(max_entries=32, show_spinner=False)
def costs(reading: Reading) -> list[Cost]:
    """What each model of the family costs, on a token at the end of the text."""
    length = len(reading.tokens)

    def work(name: str) -> Cost:
        lm = compute.model(name)
        here = lm.bits_per_byte(reading.text) if length > 1 else np.nan
        return Cost(name, routing.size(lm.config, length), _held_out(name), float(here))

    return [
        compute.run_in_worker(lambda name=name: work(name), compute.about(reading.text))
        for name in family(reading.model)
    ]


def _held_out(model: str) -> float | None:
    try:
        return float(training.curves(model)["valid_bpb"].dropna().iloc[-1])
    except (BadCheckpoint, IndexError):
        return None
