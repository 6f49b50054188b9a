"""The controls of the view Lightning indexer: k and layer, and how q and k are rounded, as two Choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from tlmviz.language_model import LanguageModel
from tlmviz.layers.indexer import ROTATIONS
from tlmviz.ui import compute, link

from ..controls import Choice
from . import words

START = 32  # keys per query: enough for one layer to cover nine tenths of its mass
KS = tuple(2**i for i in range(11))  # 1 to 1,024
OUTLIERS = (1, 3, 10, 30, 100)
FORMATS = {"fp8_e4m3": "FP8 E4M3", "int8": "INT8", "int4": "INT4"}


@dataclass(frozen=True)
class IndexerChoice:
    """A text that the model reads, a layer, and how many keys k each query attends to."""

    model: str
    text: str
    layer: int = 0
    k: int = 32

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return compute.model(self.model)


@dataclass(frozen=True)
class Rounding:
    """The rotation of q and k, the format they are stored in, and the factor of a simulated outlier."""

    rotation: str = "hadamard"
    format: str = "fp8_e4m3"
    outlier: float = 1


def choose(choice: Choice, text: str, length: int, best: Callable[[int], int]) -> IndexerChoice:
    """k, at most the `length` of the text in tokens, and the layer.

    It opens on the page's where a head was chosen there, else on the `best` for k keys.
    """
    left, right = st.columns(2)
    k = left.select_slider(
        "k, keys per query",
        KS,
        START,
        key="ik",
        bind="query-params",
        help="Every query of every layer attends to the k keys with the highest index scores, all heads to the same ones.",
    )
    layers = list(range(choice.lm.config.n_layers))
    start = best(min(k, length)) if link.head_is_free() else choice.layer
    layer = right.segmented_control(
        "Layer",
        layers,
        default=start if start in layers else 0,
        key="ilayer",
        bind="query-params",
        required=True,
    )
    if k > length:
        st.caption(words.all_keys(length, k))
    return IndexerChoice(choice.model, text, layer, min(k, length))


def choose_rounding() -> Rounding:
    """Rotation, format and outlier."""
    left, middle, right = st.columns(3)
    rotation = left.segmented_control(
        "Rotation U", ROTATIONS, default="hadamard", key="iu", bind="query-params", required=True
    )
    number_format = middle.segmented_control(
        "Stored as",
        list(FORMATS),
        default="fp8_e4m3",
        format_func=FORMATS.get,
        key="ifmt",
        bind="query-params",
        required=True,
        help="One scale per vector of q and k, from its largest number.",
    )
    outlier = right.select_slider(
        "Outlier (simulated)",
        OUTLIERS,
        1,
        key="iout",
        bind="query-params",
        format_func="× {}".format,
        help="One dimension of k multiplied and of q divided by this: no score changes, but peaks appear as in large models.",
    )
    return Rounding(rotation, number_format, outlier)


def position(choice: Choice, length: int) -> int:
    """The pinned query, or the last one of a text of `length` tokens."""
    if choice.query is None or choice.query >= choice.lm.config.context:
        return length - 1
    return min(max(choice.query, 0), length - 1)
