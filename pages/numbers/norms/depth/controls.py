"""The controls of the view Depth: which runs and when, and which networks the gradient falls through."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.ui import frame

RATES = ("0.0005", "0.001", "0.002")
MOMENTS = (0, 10, 25, 50, 75, 100, 150, 200)  # of the log
OF = WEIGHTS, STREAM = "by the weights", "by the stream"
WHEN = TRAINED, BEFORE = "trained", "before training"
LAYERS = (4, 8, 16, 32)


@dataclass(frozen=True)
class Depth:
    """Peak of the rate and step of the logged runs; what the gradient is taken by; trained networks, or fresh ones with so
    many layers.
    """

    rate: str
    moment: int
    of: str
    when: str
    layers: int


def choose_runs() -> tuple[str, int, str]:
    """Rate, step, and what the gradient is taken by."""
    with frame.after_picture(name="runs"):
        left, middle, right = st.columns([0.34, 0.36, 0.3], vertical_alignment="center")
        rate = left.segmented_control(
            "Highest learning rate",
            RATES,
            default=RATES[1],
            key="nodrate",
            bind="query-params",
            required=True,
        )
        moment = middle.select_slider("After step", MOMENTS, MOMENTS[5], key="nodstep", bind="query-params")
        of = right.segmented_control(
            "Gradient", OF, default=WEIGHTS, key="nodof", bind="query-params", required=True
        )
    return rate, moment, of


def choose_networks() -> tuple[str, int]:
    """Trained or before training, and how many layers those have."""
    left, right = st.columns([0.4, 0.6], vertical_alignment="center")
    when = left.segmented_control(
        "Networks", WHEN, default=TRAINED, key="nodwhen", bind="query-params", required=True
    )
    layers = right.select_slider(
        "Layers before training",
        LAYERS,
        LAYERS[0],
        key="nodlay",
        bind="query-params",
        disabled=when == TRAINED,
    )
    return when, layers
