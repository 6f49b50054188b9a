"""Everything the page Scaling computes, cached."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers import product_parts, rounded_model
from tlmviz.analysis.numbers.product_parts import Product
from tlmviz.analysis.numbers.rounded_model import Loss, Setting, Simulator
from tlmviz.analysis.numbers.scaling import KEYS, PER, Scheme
from tlmviz.checks import Check
from tlmviz.checks import numbers_scaling as checks
from tlmviz.ui import compute
from tlmviz.ui.compute import run_in_worker

SMALL = 1e9  # parameters times tokens: passes of this size are made by the dozen, unasked


@st.cache_resource(max_entries=2, show_spinner=False)
def simulator(model: str) -> Simulator:
    """The model's passes in few bits."""
    return Simulator(compute.model(model))


@st.cache_resource(max_entries=8, show_spinner=False)
def keys(model: str) -> tuple[str, ...]:
    """The keys of the model's matrices."""
    return tuple(dict.fromkeys(matrix.key for matrix in simulator(model).matrices))


def parts(model: str) -> tuple[str, ...]:
    """What the model's matrices are for."""
    there = {matrix.part for matrix in simulator(model).matrices}
    return tuple(part for part in rounded_model.PARTS if part in there)


@st.cache_resource(max_entries=32, show_spinner=False)
def loudest(model: str, text: str) -> str:
    """The key of the matrix that reads the channel which exceeds the median one most."""
    ids = compute.model(model).encode(text)
    found = run_in_worker(lambda: simulator(model).loudest(ids), len(ids))
    return max(found, key=found.__getitem__)


@st.cache_resource(max_entries=16, show_spinner=False)
def operands(model: str, text: str, matrix: str):
    """What a matrix reads on a text, X [T, K], and the Matrix. Raises BadText for an expert that nothing reaches."""
    ids = compute.model(model).encode(text)
    return run_in_worker(lambda: simulator(model).read_by(ids, matrix), len(ids))


@st.cache_resource(max_entries=16, show_spinner=False)
def product(model: str, text: str, matrix: str, scheme: Scheme) -> Product:
    """One product under a scheme."""
    x, found = operands(model, text, matrix)
    return run_in_worker(lambda: product_parts.product_parts(x, found.weight, scheme), len(x))


@st.cache_resource(max_entries=32, show_spinner=False)
def groupings(model: str, text: str, matrix: str, format: str, block: int) -> dict[str, tuple[float, ...]]:
    """The same format with a scale per tensor, channel, block."""
    x, found = operands(model, text, matrix)
    return run_in_worker(lambda: product_parts.by_grouping(x, found.weight, format, block), len(x))


@st.cache_resource(max_entries=2, show_spinner=False)
def exact(model: str, text: str):
    """The model's own logits of a text."""
    ids = compute.model(model).encode(text)
    return run_in_worker(lambda: simulator(model).logits(ids), len(ids))


@st.cache_resource(max_entries=128, show_spinner=False)
def loss(model: str, text: str, setting: Setting) -> Loss:
    """What a pass in few bits loses. Raises BadText for a text of one token."""
    lm, before = compute.model(model), exact(model, text)
    ids = lm.encode(text)
    return run_in_worker(
        lambda: rounded_model.loss(lm, ids, before, simulator(model).logits(ids, setting)), len(ids)
    )


def quick(model: str, text: str) -> bool:
    """Whether dozens of passes take a moment only."""
    lm = compute.model(model)
    return lm.n_parameters * len(lm.encode(text)) < SMALL


def every(model: str, text: str, setting: Setting, pers: tuple[str, ...] = PER) -> dict[str, dict[str, Loss]]:
    """Every format, with a scale per tensor, channel and block: the losses, on the same products."""
    block = setting.scheme.block
    return {
        format: {
            per: loss(
                model, text, Setting(Scheme(format, per, block), setting.sides, setting.parts, setting.layers)
            )
            for per in pers
        }
        for format in KEYS
    }


@st.cache_resource(max_entries=16, show_spinner=False)
def alone(model: str, text: str, scheme: Scheme, sides: str) -> np.ndarray:
    """KL in nats per token with one kind of matrix of one layer rounded at a time, [parts, layers]; NaN where there is none.

    The head, which is in no layer, is left out.
    """
    there = {(matrix.part, matrix.layer) for matrix in simulator(model).matrices}
    names = [part for part in parts(model) if part != "head"]
    layers = range(compute.model(model).config.n_layers)
    found = [
        [
            loss(model, text, Setting(scheme, sides, (part,), (layer,))).divergence.mean()
            if (part, layer) in there
            else np.nan
            for layer in layers
        ]
        for part in names
    ]
    return np.array(found)


@st.cache_resource(max_entries=16, show_spinner=False)
def measured(model: str, text: str) -> list[Check]:
    """The identities behind this page, on this model and text."""
    lm = compute.model(model)
    ids = lm.encode(text)
    return run_in_worker(lambda: [each(lm, ids) for each in checks.ALL], len(ids))
