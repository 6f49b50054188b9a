"""Everything the page KV cache computes, cached: recorded generations, times, sizes of real caches, and the identities."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches import cost, decode_steps
from tlmviz.analysis.caches.cost import Shape
from tlmviz.analysis.caches.decode_steps import Decoding, Timing
from tlmviz.analysis.caches.family import siblings
from tlmviz.checks import Check, caches_decoding, measure
from tlmviz.checks.caches_sizes import formula_is_nbytes
from tlmviz.networks.transformer import n_parameters
from tlmviz.ui import compute as shared

from .controls import LENGTHS, STEPS, Choice

TIMED = 9  # steps of each model that are timed
CHECKED = 256  # positions at most of the cache that the calculator is held to


def decoding(choice: Choice) -> Decoding:
    """A generation with the rows, keys, values and bytes of each step; the same for every view of it."""
    with st.spinner(f"{choice.model} writes {choice.tokens} tokens …", show_time=True):
        return _decoding(replace(choice, view=STEPS))


@st.cache_resource(max_entries=24, show_spinner=False)
def _decoding(choice: Choice) -> Decoding:
    lm = choice.lm
    ids, head = lm.encode(choice.text), (choice.layer, choice.head)
    return shared.run_in_worker(
        lambda: decode_steps.decode(lm, ids, choice.tokens, *head, choice.temperature, choice.seed),
        len(ids) + choice.tokens,
    )


def flops(choice: Choice, decoding: Decoding) -> list[tuple[int, int]]:
    """Operations of each step with the cache and without, the prompt's first."""
    return [
        tuple(
            cost.step_flops(choice.lm.config, decoding.prompt + step, cached).total
            for cached in (True, False)
        )
        for step in range(decoding.steps + 1)
    ]


@st.cache_resource(max_entries=24, show_spinner=False)
def checks(choice: Choice) -> list[Check]:
    """The identities behind the page, measured on a generation."""
    done = decoding(choice)
    return shared.run_in_worker(
        lambda: measure(caches_decoding, choice.lm, done, choice.layer, choice.head), len(done.ids)
    )


@st.cache_resource(max_entries=24, show_spinner=False)
def timing(choice: Choice) -> Timing:
    """Milliseconds per token of a generation with the cache and without, measured when first shown."""
    done = decoding(choice)
    return shared.run_in_worker(lambda: decode_steps.measure(choice.lm, done.ids, done.prompt), len(done.ids))


@dataclass(frozen=True)
class CacheSize:
    """A model's own kind of cache: `nbytes` after reading `lengths` positions at once."""

    lengths: np.ndarray
    nbytes: np.ndarray


@st.cache_resource(max_entries=64, show_spinner=False)
def cache_size(model: str, text: str, length: int) -> CacheSize:
    """Real caches up to a length, filled with the text over and over. Raises BadText beyond learned positions."""
    lm = shared.model(model)
    ids = torch.tensor(_filled(model, text, length))[None]

    def work() -> CacheSize:
        lengths = [size for size in LENGTHS if size <= length]
        caches = [lm.new_cache() for _ in lengths]
        for cache, size in zip(caches, lengths):
            lm(ids[:, :size], cache)
        return CacheSize(np.array(lengths), np.array([cache.nbytes for cache in caches]))

    return shared.run_in_worker(work, length)


@st.cache_data(max_entries=16, show_spinner=False)
def step_times(models: tuple[str, ...], text: str, length: int) -> np.ndarray:
    """Milliseconds of one step of each model behind a cache of a length, [models, TIMED], measured when first shown."""
    lms = [shared.model(model) for model in models]
    ids = [_filled(model, text, length) for model in models]
    return shared.run_in_worker(lambda: decode_steps.step_times(lms, ids, TIMED), length)


def _filled(model: str, text: str, length: int) -> list[int]:
    """The text's ids over and over, up to a length."""
    return (shared.model(model).tokenizer.encode(text) * length)[:length]


@st.cache_data(max_entries=64, show_spinner=False)
def size_check(model: str, length: int) -> Check:
    """The calculator's formula against `nbytes` of a real cache that is exactly full."""
    lm = shared.model(model)
    length = max(LENGTHS[0], min(length, CHECKED, lm.config.context))
    check = shared.run_in_worker(lambda: formula_is_nbytes(lm, length), length)
    return replace(check, name=f"{check.name} at {length}")


def family() -> list[str]:
    """The largest group of bundled models that differ in their attention alone, by what they cache, most first."""
    configs = shared.configs()
    largest = max((siblings(configs, name) for name in configs), key=len, default=[])
    return sorted(largest, key=lambda name: -Shape.of(configs[name]).numbers_per_token_per_layer)


def own_shapes() -> tuple[Shape, ...]:
    """The bundled models as shapes of the calculator."""
    return tuple(Shape.of(config, n_parameters(config)) for config in shared.configs().values())
