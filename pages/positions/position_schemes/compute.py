"""What the page "Position schemes" keeps: the models that are compared, their cached passes and measures, and its controls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.positions import context_extension, position_schemes
from tlmviz.analysis.positions.position_schemes import Added, Distances
from tlmviz.checkpoints.folders import models_folder
from tlmviz.checks import Check
from tlmviz.checks.positions_shift import READ, RELATIVE, shift_moves_nothing
from tlmviz.errors import UnknownName
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, long_text
from tlmviz.ui.long_text import Ids

VIEWS = ("What is added", "Position similarity", "Attention by distance", "Extrapolation")
TITLES = {
    "learned": "Learned",
    "sinusoidal": "Sinusoidal",
    "relative": "Relative",
    "alibi": "ALiBi",
    "rope": "RoPE",
    "none": "None",
}
TIMES = 4  # how often the training length is read

# --- computed once ----------------------------------------------------------------------------------


@st.cache_data(show_spinner=False)
def _families(names: tuple[str, ...]) -> dict[str, str]:
    return position_schemes.families()


def families() -> dict[str, str]:
    """Scheme -> bundled model, for models that differ in their positions alone. Raises UnknownName when there are none."""
    found = _families(tuple(compute.models()))
    if len(found) < 2:
        raise UnknownName(
            "This page compares models that differ in their positions alone, and models/ has no two of them; train some with "
            "`python -m tlmviz.training zoo-rope` and `zoo-alibi`."
        )
    return found


def context() -> int:
    """The training length that the compared models share, in tokens."""
    return compute.model(next(iter(families().values()))).config.context


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def trace(name: str, ids: Ids) -> Trace:
    """One pass over ids within the training length."""
    lm = compute.model(name)
    return compute.run_in_worker(lambda: lm.trace_ids(list(ids)), len(ids))


@st.cache_data(max_entries=48, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def losses(name: str, ids: Ids) -> np.ndarray:
    """The loss of each next token in nats; learned positions stop where their vectors do."""
    lm = compute.model(name)
    read = ids[: lm.config.context] if lm.config.positions.kind == "learned" else ids
    return compute.run_in_worker(lambda: context_extension.losses(lm, list(read)), len(ids))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def distances(name: str, ids: Ids) -> Distances:
    """How far every head looks."""
    watched = trace(name, ids)
    return compute.run_in_worker(lambda: position_schemes.distances(watched), len(ids))


@st.cache_data(max_entries=48, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def shift(name: str, ids: Ids) -> Check:
    """Whether moving the first tokens changes the predictions, in nats."""
    lm = compute.model(name)
    return compute.run_in_worker(lambda: shift_moves_nothing(lm, list(ids[:READ])), len(ids))


@st.cache_data(show_spinner=False)
def held_out() -> dict[str, float]:
    """Model -> bits per byte on held-out stories, as measured after training; empty where models/ has no such table."""
    path = models_folder() / "zoo.csv"
    return dict(pd.read_csv(path)[["model", "bits_per_byte"]].to_numpy().tolist()) if path.is_file() else {}


def added(name: str, length: int, layer: int) -> Added:
    """What a model's scheme adds at so many positions."""
    lm = compute.model(name)
    return compute.run_in_worker(lambda: position_schemes.added(lm, length, layer))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def similar(name: str, ids: Ids, layer: int, head: int) -> tuple[np.ndarray, np.ndarray]:
    """How alike positions are to a model's scheme."""
    lm, watched = compute.model(name), trace(name, ids)
    return compute.run_in_worker(lambda: position_schemes.similarity(lm, watched, layer, head), len(ids))


def checks(ids: Ids) -> list[Check]:
    """Moving a text moves no prediction where only distances count."""
    names = {scheme: name for scheme, name in families().items() if scheme in RELATIVE}
    return [replace(shift(name, ids), name=f"{TITLES[scheme]}: shift") for scheme, name in names.items()]


# --- controls ---------------------------------------------------------------------------------------


def controls() -> tuple[str, tuple[int, int], str | None, DeltaGenerator]:
    """The view, layer and head, the text, and a place for a sentence about it."""
    first, layer, head = st.columns([0.68, 0.16, 0.16], vertical_alignment="center")
    source, beside, about = st.columns([0.28, 0.16, 0.56], vertical_alignment="center")
    view = first.segmented_control(
        "View",
        VIEWS,
        default=VIEWS[0],
        key="pview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    config = compute.model(next(iter(families().values()))).config
    chosen = inputs.head_menus(config.n_layers, config.n_heads, (layer, head))
    return view, chosen, long_text.source_menu(source, beside, "xsrc")[1], about


def encoded(text: str) -> Ids:
    """The part of the text that is read. The compared models share one tokenizer's ids."""
    return long_text.encoded(next(iter(families().values())), text)[: TIMES * context()]
