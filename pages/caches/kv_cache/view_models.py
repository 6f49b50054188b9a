"""Draws the view Models of the page KV cache: real caches of several models at one length."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.caches import cost
from tlmviz.analysis.caches.cost import Shape
from tlmviz.errors import Error
from tlmviz.figures.caches import kv_costs
from tlmviz.ui import compute as shared
from tlmviz.ui import frame

from . import compute, controls, words
from .compute import TIMED, CacheSize
from .controls import Choice
from .view import footer

MILLISECONDS = words.MS_PER_TOKEN
PARTS = ("keys", "values", "latent c_KV", "turned key k^R")


def side_by_side(choice: Choice) -> None:
    """Bytes per token, and bytes against the length, measured and by formula."""
    configs = shared.configs()
    models, length = controls.choose_models(list(configs), compute.family())
    sizes = _sizes(models, choice.text, length)
    if not sizes:
        st.info(words.NO_MODEL)
        return
    shapes = {model: Shape.of(configs[model]) for model in sizes}
    left, right = st.columns(2)
    with left:
        _per_token(shapes, sizes, length)
    with right:
        _growth(shapes, sizes, length)
    st.caption(words.DOTS_CAPTION)
    _table(shapes, sizes, choice.text, length)
    footer(choice.view, words.models_snippet(list(sizes), choice.text, length))


def _sizes(models: list[str], text: str, length: int) -> dict[str, CacheSize]:
    """Each model's measured cache; a sentence about each that cannot read so far."""
    sizes = {}
    for model in models:
        try:
            sizes[model] = compute.cache_size(model, text, length)
        except Error as error:
            st.warning(f"{model} is left out: {error}")
    return sizes


def _per_token(shapes: dict[str, Shape], sizes: dict[str, CacheSize], length: int) -> None:
    shares = {model: _shares(shape) for model, shape in shapes.items()}
    parts = {
        part: np.array(
            [size.nbytes[-1] / length * shares[model].get(part, 0.0) for model, size in sizes.items()]
        )
        for part in PARTS
    }
    formula = np.array([cost.cache_bytes(shape, length) / length for shape in shapes.values()])
    labels = [f"{model}<br>{shape.kind}" for model, shape in shapes.items()]
    figure = kv_costs.token_bytes(labels, parts, formula, length, frame.theme())
    frame.chart(figure, key="kvbytes", alt=words.KVBYTES_ALT)


def _shares(shape: Shape) -> dict[str, float]:
    """The parts of what is cached of a position, as shares."""
    if shape.latent is None:
        return {"keys": 0.5, "values": 0.5}
    total = shape.numbers_per_token_per_layer
    return {"latent c_KV": shape.latent / total, "turned key k^R": shape.rope / total}


def _growth(shapes: dict[str, Shape], sizes: dict[str, CacheSize], length: int) -> None:
    lengths = np.arange(1, length + 1)
    formula = {
        model: np.array([cost.cache_bytes(shape, int(at)) for at in lengths])
        for model, shape in shapes.items()
    }
    measured = {model: (size.lengths, size.nbytes) for model, size in sizes.items()}
    figure = kv_costs.growth(lengths, formula, measured, frame.theme())
    frame.chart(figure, key="kvgrowth", alt=words.KVGROWTH_ALT)


def _table(shapes: dict[str, Shape], sizes: dict[str, CacheSize], text: str, length: int) -> None:
    rows = []
    times = compute.step_times(tuple(shapes), text, length)
    for (model, shape), taken in zip(shapes.items(), times):
        nbytes, formula = float(sizes[model].nbytes[-1]), cost.cache_bytes(shape, length)
        rows.append(
            {
                "Model": model,
                "Attention": shape.kind,
                words.KEPT_PER_TOKEN: words.numbers_per_token(shape),
                "Bytes": nbytes,
                "By formula": float(formula),
                "Equal": "✓" if nbytes == formula else "✗",
                "Bytes per token": nbytes / length,
                MILLISECONDS: f"{taken.min():.2f} – {taken.max():.2f}",
            }
        )
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "Bytes": number(format="localized"),
            "By formula": number(format="localized"),
            "Bytes per token": number(format="localized"),
            MILLISECONDS: st.column_config.TextColumn(help=words.range_help(TIMED)),
        },
    )
