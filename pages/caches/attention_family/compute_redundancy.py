"""Everything the part Redundancy of the page Attention family computes, cached: similarity, ablation and sharing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches import redundancy
from tlmviz.analysis.caches.redundancy import Losses
from tlmviz.analysis.caches.similarity import SIMILARITIES
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute as shared
from tlmviz.ui import inputs
from tlmviz.ui.compute import run_in_worker

from .controls import Reading

READ = 128  # tokens of the text that redundancy is measured on: hundreds of passes
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


def sample(reading: Reading) -> Sample:
    """The first READ tokens of a text."""
    return Sample(reading.model, tuple(reading.trace.ids[:READ]))


@st.cache_data(show_spinner=False, max_entries=64)
def other_texts(reading: Reading) -> tuple[tuple[int, ...], ...]:
    """The app's example texts but this one, as tokens: nothing is pruned or merged by them."""
    lm = reading.lm
    return tuple(tuple(lm.encode(example)) for example in inputs.EXAMPLES.values() if example != reading.text)


@st.cache_resource(max_entries=32, show_spinner=False)
def similarity(reading: Reading, measure: str) -> torch.Tensor:
    """Similarity of every two heads, [L * H, L * H]."""
    trace = reading.trace
    return run_in_worker(lambda: SIMILARITIES[measure](trace), len(trace))


@st.cache_data(max_entries=64, show_spinner=False)
def effects(sample: Sample, how: str) -> np.ndarray:
    """What ablating each head alone adds to the loss, [L, H]."""
    return run_in_worker(lambda: redundancy.single_effects(sample.lm, sample.ids, how).numpy())


def pruning_order(sample: Sample, order: str, how: str) -> tuple[Head, ...]:
    """The order in which heads are ablated. The greedy search goes step by step: others get their turn, and a bar moves."""
    if order != "greedy":
        return _order(sample, order, how)
    config = sample.lm.config
    count, muted, place = config.n_layers * config.n_heads, (), st.empty()
    for step in range(count):
        place.progress(step / count, f"Greedy: {step} of {count} heads chosen")
        muted = (*muted, _greedy_step(sample, how, muted))
    place.empty()
    return muted


@st.cache_data(max_entries=2048, show_spinner=False)
def _greedy_step(sample: Sample, how: str, muted: tuple[Head, ...]) -> Head:
    """The head whose ablation beside the muted ones costs least."""
    return run_in_worker(lambda: redundancy.greedy_step(sample.lm, sample.ids, muted, how))


@st.cache_data(max_entries=64, show_spinner=False)
def _order(sample: Sample, order: str, how: str) -> tuple[Head, ...]:
    return tuple(run_in_worker(lambda: redundancy.pruning_order(sample.lm, sample.ids, order, how)))


@st.cache_data(max_entries=64, show_spinner=False)
def pruned(reading: Reading, order: tuple[Head, ...], how: str) -> Losses:
    """Loss along an order of pruning, here and on the other texts."""
    ids, others = sample(reading).ids, other_texts(reading)
    return run_in_worker(lambda: redundancy.prune(reading.lm, ids, order, how, others))


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
    alike = similarity(reading, measure)

    def work() -> Sharing:
        pairs, near = redundancy.pair_effects(lm, ids), redundancy.kv_similarity(lm, alike)
        order = redundancy.sharing_order(lm, alike)
        losses = redundancy.share(lm, ids, order, others)
        return Sharing(pairs, [near[pair].item() for pair in pairs], order, losses)

    return run_in_worker(work)
