"""Everything the page Position schemes computes, cached: the models that are compared, their passes and measures.

Each cache holds one model's answer for one text, so another view, head or scheme computes only what it lacks.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.positions import context_extension, position_schemes
from tlmviz.analysis.positions.position_schemes import Added, Distances
from tlmviz.analysis.samples import sample_text
from tlmviz.checkpoints.folders import models_folder
from tlmviz.checks import Check
from tlmviz.checks.positions_shift import READ, RELATIVE, shift_moves_nothing
from tlmviz.config import ModelConfig
from tlmviz.errors import UnknownName
from tlmviz.trace import Trace
from tlmviz.ui.compute import model, models, run_in_worker
from tlmviz.ui.long_text import HASH_FAST, Ids, encoded

from . import words


@st.cache_data(show_spinner=False)
def telling_head() -> tuple[int, int]:
    """The layer and head that, over all schemes, look most at the token before: there a position counts."""
    config, names = shared_config(), tuple(families().values())
    ids = encoded(names[0], sample_text())[: config.context]
    before = [np.nan_to_num(trace(name, ids).statistics()["previous"]) for name in names]
    return divmod(int(np.mean(before, 0).argmax()), config.n_heads)


@st.cache_data(show_spinner=False)
def _families(names: tuple[str, ...]) -> dict[str, str]:
    return position_schemes.families()


def families() -> dict[str, str]:
    """Scheme -> bundled model, for models that differ in their positions alone. Raises UnknownName when there are none."""
    compared = _families(tuple(models()))
    if len(compared) < 2:
        raise UnknownName(words.NOTHING_TO_COMPARE)
    return compared


def shared_config() -> ModelConfig:
    """The config of one of the compared models: they differ in their positions alone. Raises as `families`."""
    return model(next(iter(families().values()))).config


def relative_distance() -> int:
    """The number of vectors of the model with relative positions, whose last one all further distances share."""
    compared = families()
    name = compared.get("relative", next(iter(compared.values())))
    return model(name).config.positions.distances


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=HASH_FAST)
def trace(name: str, ids: Ids) -> Trace:
    """One pass over ids within the training length."""
    lm = model(name)
    return run_in_worker(lambda: lm.trace_ids(list(ids)), len(ids))


@st.cache_data(max_entries=48, show_spinner=False, hash_funcs=HASH_FAST)
def losses(name: str, ids: Ids) -> np.ndarray:
    """The loss of each next token in nats; learned positions end where their vectors do."""
    lm = model(name)
    read = ids[: lm.config.context] if lm.config.positions.kind == "learned" else ids
    return run_in_worker(lambda: context_extension.losses(lm, list(read)), len(ids))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=HASH_FAST)
def distances(name: str, ids: Ids) -> Distances:
    """How far every head looks."""
    watched = trace(name, ids)
    return run_in_worker(lambda: position_schemes.distances(watched), len(ids))


@st.cache_data(max_entries=48, show_spinner=False, hash_funcs=HASH_FAST)
def shift(name: str, ids: Ids) -> Check:
    """Whether moving the first tokens changes the predictions, in nats."""
    lm = model(name)
    return run_in_worker(lambda: shift_moves_nothing(lm, list(ids[:READ])), len(ids))


@st.cache_resource(show_spinner=False)  # shared, not pickled: nobody writes to it
def _zoo() -> pd.DataFrame | None:
    """The zoo's table, as measured after training; None where models/ has none."""
    path = models_folder() / "zoo.csv"
    return pd.read_csv(path) if path.is_file() else None


def seed_spread() -> float | None:
    """By how many bits per byte seeds of one model differ at most; None where models/ has no such table."""
    table = _zoo()
    return None if table is None else float(table["seed_spread"].max())


def held_out() -> dict[str, float]:
    """Model -> bits per byte on held-out stories, as measured after training; empty where models/ has no such table."""
    table = _zoo()
    return {} if table is None else dict(zip(table["model"], table["bits_per_byte"]))


def added(name: str, length: int, layer: int) -> Added:
    """What a model's scheme adds at so many positions."""
    lm = model(name)
    return run_in_worker(lambda: position_schemes.added(lm, length, layer))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=HASH_FAST)
def similar(name: str, ids: Ids, layer: int, head: int) -> tuple[np.ndarray, np.ndarray]:
    """How alike positions are to a model's scheme."""
    lm, watched = model(name), trace(name, ids)
    return run_in_worker(lambda: position_schemes.similarity(lm, watched, layer, head), len(ids))


def checks(ids: Ids) -> list[Check]:
    """Moving a text changes no prediction where only distances count."""
    return [
        replace(shift(name, ids), name=f"{words.TITLES[scheme]}: shift")
        for scheme, name in families().items()
        if scheme in RELATIVE
    ]
