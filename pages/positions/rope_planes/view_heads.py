"""Draws the part Heads: which planes heads use, and the mean score by distance under other rotations."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.positions import rope_planes
from tlmviz.figures.positions import rope_planes as figures
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice


def picture(choice: Choice) -> None:
    """Each plane's share of every head, the chosen head's planes, its scores by distance, and the loss of real passes."""
    columns = st.columns([0.34, 0.28, 0.38], gap="small")
    with columns[0]:
        _every_head(choice)
    with columns[1]:
        _one_head(choice)
    with columns[2]:
        _by_distance(choice)
    if len(choice.trace) > 1:
        st.caption(
            words.exchanged_losses({label: compute.mean_loss(choice, how) for how, label in _labels(choice)})
        )


def _every_head(choice: Choice) -> None:
    figure = figures.energy(compute.energy(choice), _wavelength(choice), choice.head, frame.theme())
    frame.chart(figure, key="energy", alt=words.ENERGY_ALT)


def _one_head(choice: Choice) -> None:
    energy, name = compute.energy(choice)[choice.head], _name(choice)
    figure = figures.uses(
        energy, compute.spread(choice), _wavelength(choice), f"{name}: its planes", frame.theme()
    )
    frame.chart(figure, key="uses", alt=words.uses_alt(name))


def _by_distance(choice: Choice) -> None:
    curves = {label: compute.by_distance(choice, how) for how, label in _labels(choice)}
    figure = figures.by_distance(curves, words.distance_title(_name(choice)), frame.theme())
    frame.chart(figure, key="distance", alt=words.DISTANCE_ALT)


def _labels(choice: Choice) -> list[tuple[str, str]]:
    """Each rotation that is compared, with its label."""
    return [(how, label.format(base=choice.base)) for how, label in words.ROTATIONS.items()]


def _name(choice: Choice) -> str:
    return f"Layer {choice.head[0]}, head {choice.head[1]}"


def _wavelength(choice: Choice) -> np.ndarray:
    return 2 * np.pi / rope_planes.frequencies(choice.lm.config.head_dim, choice.own_base)
