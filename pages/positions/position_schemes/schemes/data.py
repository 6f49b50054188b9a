"""Everything that the part Six schemes shows: models that differ in their positions alone, on one text.

Each cache holds one model's answer for one text, so another view, head or scheme computes only what it lacks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

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
from tlmviz.tracing.trace import Trace
from tlmviz.ui.compute import model, models, run_in_worker
from tlmviz.ui.long_text import HASH_FAST, Ids, encoded

from .state import TIMES, TITLES, Schemes


@dataclass(frozen=True)
class Data:
    """What the part shows, by scheme; what costs is computed when it is asked for."""

    chosen: Schemes

    @property
    def families(self) -> dict[str, str]:
        """Scheme -> bundled model, for models that differ in their positions alone. Raises UnknownName when there are
        none."""
        compared = _families(tuple(models()))
        if len(compared) < 2:
            raise UnknownName(
                "This page compares models that differ in their positions alone, and models/ has no two of them; train "
                "some with `python -m tlmviz.training zoo-rope` and `zoo-alibi`."
            )
        return compared

    @property
    def config(self) -> ModelConfig:
        """Of one of them: they share all but their positions."""
        return model(next(iter(self.families.values()))).config

    @property
    def context(self) -> int:
        """The training length that they share, in tokens."""
        return self.config.context

    @cached_property
    def ids(self) -> Ids:
        """The ids that are read."""
        return encoded(next(iter(self.families.values())), self.chosen.reading.text)[: TIMES * self.context]

    @property
    def telling_head(self) -> tuple[int, int]:
        """The layer and head that, over all schemes, look most at the token before: there a position counts."""
        return _telling_head(tuple(self.families.values()))

    @property
    def inside(self) -> Ids:
        """The ids within the training length."""
        return self.ids[: self.context]

    def _each(self, work: Callable[..., Any], *rest: Any) -> dict[str, Any]:
        return {scheme: work(name, *rest) for scheme, name in self.families.items()}

    @cached_property
    def losses(self) -> dict[str, np.ndarray]:
        """The loss of each next token in nats; learned positions end where their vectors do."""
        return self._each(_losses, self.ids)

    @property
    def around(self) -> dict[str, tuple[float, float]]:
        """The mean loss within the training length and beyond it; NaN where there is nothing."""
        split = context_extension.inside_and_beyond
        return {scheme: split(loss, self.context) for scheme, loss in self.losses.items()}

    @cached_property
    def distances(self) -> dict[str, Distances]:
        """How far every head looks, within the training length."""
        return self._each(_distances, self.inside)

    @cached_property
    def added(self) -> dict[str, Added]:
        """What each adds."""
        return self._each(_added, self.context, self.chosen.head[0])

    @cached_property
    def similar(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """How alike positions are, and at which."""
        return self._each(_similar, self.inside, *self.chosen.head)

    @cached_property
    def shifts(self) -> dict[str, Check]:
        """Whether moving the first tokens changes the predictions, in nats; a text of one token has none to change."""
        return self._each(_shift, self.ids) if len(self.ids) > 1 else {}

    @property
    def slopes(self) -> np.ndarray | None:
        """ALiBi's, head by head; None where no such model is compared."""
        name = self.families.get("alibi")
        return model(name).on_cpu.network.positions.slopes.numpy() if name else None

    @property
    def parameters(self) -> dict[str, int]:
        """The trained numbers of the positions alone."""
        return self._each(lambda name: sum(p.numel() for p in model(name).network.positions.parameters()))

    @property
    def held_out(self) -> tuple[dict[str, float], float | None]:
        """Model -> bits per byte of held-out stories, and by how many seeds of a model differ at most; none without a
        table."""
        if (table := _zoo()) is None:
            return {}, None
        return dict(zip(table["model"], table["bits_per_byte"])), float(table["seed_spread"].max())

    @property
    def checks(self) -> list[Check]:
        """Moving a text changes no prediction where only distances count."""
        shifts = [(TITLES[scheme], check) for scheme, check in self.shifts.items() if scheme in RELATIVE]
        return [replace(check, name=f"{title}: shift") for title, check in shifts]


@st.cache_data(show_spinner=False)
def _families(names: tuple[str, ...]) -> dict[str, str]:
    return position_schemes.families()


@st.cache_data(show_spinner=False)
def _telling_head(names: tuple[str, ...]) -> tuple[int, int]:
    config = model(names[0]).config
    ids = encoded(names[0], sample_text())[: config.context]
    before = [np.nan_to_num(_trace(name, ids).statistics()["previous"]) for name in names]
    return divmod(int(np.mean(before, 0).argmax()), config.n_heads)


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=HASH_FAST)
def _trace(name: str, ids: Ids) -> Trace:
    lm = model(name)
    return run_in_worker(lambda: lm.trace_ids(list(ids)), len(ids))


@st.cache_data(max_entries=48, show_spinner=False, hash_funcs=HASH_FAST)
def _losses(name: str, ids: Ids) -> np.ndarray:
    lm = model(name)
    read = ids[: lm.config.context] if lm.config.positions.kind == "learned" else ids
    return run_in_worker(lambda: context_extension.losses(lm, list(read)), len(ids))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=HASH_FAST)
def _distances(name: str, ids: Ids) -> Distances:
    watched = _trace(name, ids)
    return run_in_worker(lambda: position_schemes.distances(watched), len(ids))


@st.cache_data(max_entries=48, show_spinner=False, hash_funcs=HASH_FAST)
def _shift(name: str, ids: Ids) -> Check:
    lm = model(name)
    return run_in_worker(lambda: shift_moves_nothing(lm, list(ids[:READ])), len(ids))


def _added(name: str, length: int, layer: int) -> Added:
    lm = model(name)
    return run_in_worker(lambda: position_schemes.added(lm, length, layer))


@st.cache_resource(max_entries=24, show_spinner=False, hash_funcs=HASH_FAST)
def _similar(name: str, ids: Ids, layer: int, head: int) -> tuple[np.ndarray, np.ndarray]:
    lm, watched = model(name), _trace(name, ids)
    return run_in_worker(lambda: position_schemes.similarity(lm, watched, layer, head), len(ids))


@st.cache_resource(show_spinner=False)  # shared, not pickled: nobody writes to it
def _zoo() -> pd.DataFrame | None:
    """The zoo's table, as measured after training; None where models/ has none."""
    path = models_folder() / "zoo.csv"
    return pd.read_csv(path) if path.is_file() else None
