"""Everything that the part Redundancy shows: similarity, ablation and sharing of heads, cached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis import precomputed
from tlmviz.analysis.caches import redundancy
from tlmviz.analysis.caches.layer_sharing import reused_maps
from tlmviz.analysis.caches.redundancy import Losses
from tlmviz.analysis.caches.similarity import SIMILARITIES, most_alike
from tlmviz.checks import Check
from tlmviz.errors import UnknownName
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute as shared
from tlmviz.ui import confirm_long_run, inputs
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker
from tlmviz.ui.language import _
from tlmviz.ui.precomputed import precomputed_equals_live

from ..data import Reading, Shown
from .state import ORDERS, Ablation

EFFECTS = "redundancy: effects"  # the question of which the default's answer is shipped
READ = 128  # tokens of the text that redundancy is measured on: hundreds of passes
PAIRS = 6  # most alike
Head = tuple[int, int]  # layer, head


@dataclass(frozen=True)
class Sample:
    """The tokens that redundancy is measured on: what follows them in the text changes nothing."""

    model: str
    ids: tuple[int, ...]

    @property
    def lm(self) -> LanguageModel:
        """The model that is measured."""
        return shared.model(self.model)


@dataclass(frozen=True)
class Data(Shown):
    """A reading, and what the controls ask of it."""

    chosen: Ablation

    @property
    def sample(self) -> Sample:
        """What is measured on."""
        return sample(self.reading)

    @property
    def asked(self) -> str:
        """The order of pruning, as it is computed."""
        return ORDERS[self.chosen.order]

    @property
    def texts(self) -> int:
        """How many other texts there are."""
        return len(other_texts(self.reading))

    @property
    def seconds(self) -> float:
        """About how long everything below the similarity takes."""
        return seconds(self.reading, self.asked)

    @cached(32)
    def similar(reading: Reading, similarity: str) -> torch.Tensor:
        """Similarity of every two heads, [L * H, L * H]."""
        trace = reading.trace
        return run_in_worker(lambda: SIMILARITIES[similarity](trace), len(trace))

    @property
    def pairs(self) -> list[tuple[int, int, float]]:
        """The heads most alike."""
        return most_alike(self.similar, PAIRS)

    @cached_property
    def effects(self) -> np.ndarray:
        """What muting each head alone adds to the loss, [L, H]."""
        return effects(self.sample, self.chosen.how)

    @cached_property
    def order(self) -> tuple[Head, ...]:
        return pruning_order(self.sample, self.asked, self.chosen.how)

    @cached_property
    def losses(self) -> Losses:
        """Loss along the order, here and on the other texts."""
        return pruned(self.reading, self.order, self.chosen.how)

    @property
    def by_chance(self) -> Losses:
        """The same in a drawn order."""
        return pruned(self.reading, pruning_order(self.sample, "random", self.chosen.how), self.chosen.how)

    @cached_property
    def shared(self) -> Sharing | UnknownName:
        """Keys and values merged, or why there are none to merge."""
        try:
            return sharing(self.reading, self.chosen.similarity)
        except UnknownName as error:  # this model shares all already: the other pictures stay
            return error

    @cached(32)
    def reused(sample: Sample) -> list[float]:
        """What each layer above the first loses with the maps of the one below, [L - 1] nats per token."""
        return run_in_worker(lambda: reused_maps(sample.lm, list(sample.ids))).tolist()

    @cached(32)
    def replayed(sample: Sample, how: str) -> list[Check]:
        """Where the figures were computed beforehand: every head muted alone, once more, now."""
        found = precomputed.answer(sample.lm, EFFECTS, (sample.ids, how))
        if found is None:
            return []
        return [precomputed_equals_live("what muting each head alone costs", found["effect"], _effects(sample, how))]


def sample(reading: Reading) -> Sample:
    """The first READ tokens of a text."""
    return Sample(reading.model, tuple(reading.trace.ids[:READ]))


def seconds(reading: Reading, order: str) -> float:
    """About how long everything below the similarity takes: each variant of the model reads this text, most also the
    others."""
    config, here = reading.lm.config, len(sample(reading).ids)
    heads, groups = config.n_layers * config.n_heads, config.n_kv_heads
    tried = heads * (heads + 1) // 2 if order == "greedy" else heads
    merges, pairs = config.n_layers * (groups - 1), config.n_layers * groups * (groups - 1) // 2
    elsewhere = sum(map(len, other_texts(reading))) * (2 * heads + merges)
    return confirm_long_run.reading_time(reading.lm, here * (tried + 2 * heads + pairs + merges) + elsewhere)


@st.cache_data(show_spinner=False, max_entries=64)
def other_texts(reading: Reading) -> tuple[tuple[int, ...], ...]:
    """The app's example texts but this one, as tokens: nothing is pruned or merged by them."""
    lm = reading.lm
    return tuple(tuple(lm.encode(example)) for example in inputs.EXAMPLES.values() if example != reading.text)


@st.cache_data(max_entries=64, show_spinner=False)
def effects(sample: Sample, how: str) -> np.ndarray:
    """What ablating each head alone adds to the loss, [L, H]."""
    return precomputed.ready(sample.lm, EFFECTS, (sample.ids, how), lambda: {"effect": _effects(sample, how)})["effect"]


def _effects(sample: Sample, how: str) -> np.ndarray:
    return run_in_worker(lambda: redundancy.single_effects(sample.lm, sample.ids, how).numpy())


def pruning_order(sample: Sample, order: str, how: str) -> tuple[Head, ...]:
    """The order in which heads are ablated. The greedy search goes step by step: others get their turn, and a bar
    moves."""
    if order != "greedy":
        return _order(sample, order, how)
    config = sample.lm.config
    count, muted, place = config.n_layers * config.n_heads, (), st.empty()
    for step in range(count):
        place.progress(step / count, _("Greedy: {step} of {count} heads chosen", step=step, count=count))
        muted = (*muted, _greedy_step(sample, how, muted))
    place.empty()
    return muted


@st.cache_data(max_entries=2048, show_spinner=False)
def _greedy_step(sample: Sample, how: str, muted: tuple[Head, ...]) -> Head:
    """The head whose ablation beside the muted ones costs least."""
    return run_in_worker(lambda: redundancy.greedy_step(sample.lm, sample.ids, muted, how))


def _order(sample: Sample, order: str, how: str) -> tuple[Head, ...]:
    if order == "single":  # follows from what is drawn already
        return redundancy.least_first(torch.from_numpy(effects(sample, how)))
    return tuple(redundancy.pruning_order(sample.lm, sample.ids, order, how))


@st.cache_data(max_entries=64, show_spinner=False)
def pruned(reading: Reading, order: tuple[Head, ...], how: str) -> Losses:
    """Loss along an order of pruning, here and on the other texts."""
    ids, others = sample(reading).ids, other_texts(reading)

    def work() -> dict[str, np.ndarray]:
        return _as_arrays(redundancy.prune(reading.lm, ids, order, how, others))

    asked = ids, others, order, how
    return _as_losses(precomputed.ready(reading.lm, "redundancy: pruned", asked, lambda: run_in_worker(work)))


def _as_arrays(losses: Losses) -> dict[str, np.ndarray]:
    return {"here": np.array(losses.here), "elsewhere": np.array(losses.elsewhere)}


def _as_losses(arrays: dict[str, np.ndarray]) -> Losses:
    return Losses(tuple(arrays["here"].tolist()), tuple(arrays["elsewhere"].tolist()))


@dataclass(frozen=True)
class Sharing:
    """Every pair of key/value heads merged alone, and the walk from MHA to one head per layer."""

    pairs: dict[tuple[int, int, int], float]
    alike: list[float]
    order: list[tuple[int, int, int]]
    losses: Losses


@st.cache_data(max_entries=32, show_spinner=False)
def sharing(reading: Reading, measure: str) -> Sharing:
    """Keys and values merged by similarity. Raises UnknownName where there are none to merge."""
    lm, ids, others = reading.lm, sample(reading).ids, other_texts(reading)
    redundancy.shareable(lm)
    alike = Data.similar(reading, measure)
    near, order = redundancy.kv_similarity(lm, alike), redundancy.sharing_order(lm, alike)

    def work() -> dict[str, np.ndarray]:
        pairs = redundancy.pair_effects(lm, ids)
        named = {"pair": np.array(list(pairs)), "change": np.array(list(pairs.values()))}
        return named | _as_arrays(redundancy.share(lm, ids, order, others))

    answer = precomputed.ready(lm, "redundancy: shared", (ids, others, tuple(order)), lambda: run_in_worker(work))
    pairs = dict(zip(map(tuple, answer["pair"].tolist()), answer["change"].tolist()))
    return Sharing(pairs, [near[pair].item() for pair in pairs], order, _as_losses(answer))
