"""Draws the part Trained maps of the page Attention family: every model of the family on the same text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.caches.family import kind
from tlmviz.analysis.caches.layer_cost import Layer
from tlmviz.config import ModelConfig
from tlmviz.figures.caches import head_maps
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, link

from . import compute, controls, words
from .controls import TRAIN, Choice, Reading
from .view import WIDTH

LARGE = 128  # bins along the side of the compared map


def maps(choice: Choice) -> None:
    """One layer's heads of every model, then one head of each, then what each model costs."""
    names = controls.family(choice.reading.model)
    if not names:
        st.info(words.nothing_to_compare(TRAIN))
        return
    if choice.reading.model not in names:
        st.caption(words.other_family(choice.reading.model, names))
    text = controls.shortened(names[0], choice.reading.text)  # a family has one context and one spelling
    readings = [Reading(name, text) for name in names]
    configs = [shared.configs()[name] for name in names]
    layers = min(config.n_layers for config in configs)
    choice = controls.choose_head(choice, layers, min(config.n_heads for config in configs), readings[0])
    _layer(choice, readings, configs)
    _head(choice, readings, configs)
    _table(readings)
    frame.copy_as_python(words.maps_snippet(choice, names))


def _layer(choice: Choice, readings: list[Reading], configs: list[ModelConfig]) -> None:
    """All heads of one layer, a row for each model; a click chooses a head."""
    layer, heads = choice.layer, min(config.n_heads for config in configs)
    pictures = np.stack([compute.pictures(reading, layer) for reading in readings])
    groups = np.stack([np.arange(heads) * config.n_kv_heads // heads for config in configs])
    labels = [f"<b>{kind(config)}</b><br>{reading.model}" for reading, config in zip(readings, configs)]
    hover = [
        [words.head_reads(reading.model, config, head) for head in range(heads)]
        for reading, config in zip(readings, configs)
    ]
    title = words.family_title(layer)
    height = 40 + 92 * len(readings)
    figure = head_maps.grid(
        pictures, labels, groups, hover, choice.head, frame.theme(), title=title, height=height
    )
    with frame.wide("wide-maps", WIDTH):
        frame.chart(
            figure,
            key="familymaps",
            alt=words.familymaps_alt(layer, len(readings)),
            select="points",
            on_select=lambda: _open_clicked_head(layer),
        )


def _open_clicked_head(layer: int) -> None:
    points = frame.selection("familymaps").get("points")
    if points:
        link.choose_head(layer, int(points[0]["customdata"][1]))


def _head(choice: Choice, readings: list[Reading], configs: list[ModelConfig]) -> None:
    """One head of each model, with the tokens."""
    layer, head = choice.layer, choice.head
    traces = [reading.trace for reading in readings]
    tokens = traces[0].tokens
    unit = "probability" if len(tokens) <= LARGE else words.LARGEST_PER_BIN
    figure = head_maps.beside(
        [trace.pooled(layer, head, min(LARGE, len(trace))).numpy() for trace in traces],
        [f"{kind(config)}, {reading.model}" for reading, config in zip(readings, configs)],
        tokens,
        frame.theme(),
        title=words.layer_head_title(layer, head, unit),
    )
    with frame.wide("wide-head", WIDTH):
        frame.chart(figure, key="familyhead", alt=words.familyhead_alt(layer, head))


def _table(readings: list[Reading]) -> None:
    """What each model costs, and its loss on this text."""
    rows = []
    for reading in readings:
        lm, trace = reading.lm, reading.trace
        loss = trace.loss_per_token().mean().item() if len(trace) > 1 else float("nan")
        rows.append(
            {
                "Model": reading.model,
                "Attention": kind(lm.config),
                "Loss here": loss,
                "Parameters": lm.n_parameters,
                words.CACHED_NUMBERS: Layer.of(lm.config).cached,
            }
        )
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height="content",
        column_config={
            "Loss here": number(format="%.3f", help=words.LOSS_HELP),
            "Parameters": number(format="localized"),
            words.CACHED_NUMBERS: number(format="localized", help=words.CACHED_HELP),
        },
    )
