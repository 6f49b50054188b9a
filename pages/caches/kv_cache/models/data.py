"""Everything that the part Models shows: real caches of several models at one length, beside the formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches import cost, decode_steps
from tlmviz.analysis.caches.cost import Shape
from tlmviz.errors import Error
from tlmviz.ui import compute

from .state import LENGTHS, Compared

TIMED = 9  # steps of each model that are timed


@dataclass(frozen=True)
class CacheSize:
    """A model's own kind of cache: `nbytes` after reading `lengths` positions at once."""

    lengths: np.ndarray
    nbytes: np.ndarray


@dataclass(frozen=True)
class Data:
    """Models that read one text to one length."""

    chosen: Compared

    @cached_property
    def _read(self) -> dict[str, CacheSize | Error]:
        found: dict[str, CacheSize | Error] = {}
        for model in self.chosen.models:
            try:
                found[model] = cache_size(model, self.chosen.text, self.chosen.length)
            except Error as error:
                found[model] = error
        return found

    @property
    def sizes(self) -> dict[str, CacheSize]:
        """Each model's measured cache."""
        return {name: each for name, each in self._read.items() if isinstance(each, CacheSize)}

    @property
    def left_out(self) -> dict[str, Error]:
        """Models that cannot read so far, and why."""
        return {name: each for name, each in self._read.items() if isinstance(each, Error)}

    @property
    def shapes(self) -> dict[str, Shape]:
        configs = compute.configs()
        return {name: Shape.of(configs[name]) for name in self.sizes}

    @property
    def per_token(self) -> dict[str, float]:
        """Bytes per token of each real cache."""
        return {name: float(size.nbytes[-1]) / self.chosen.length for name, size in self.sizes.items()}

    @property
    def formula(self) -> dict[str, int]:
        """Bytes of each cache by formula."""
        return {name: cost.cache_bytes(shape, self.chosen.length) for name, shape in self.shapes.items()}

    @property
    def curves(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Lengths, and the bytes of each cache by formula."""
        lengths = np.arange(1, self.chosen.length + 1)
        return lengths, {
            name: np.array([cost.cache_bytes(shape, int(at)) for at in lengths]) for name, shape in self.shapes.items()
        }

    @cached_property
    def times(self) -> dict[str, tuple[float, float] | None]:
        """Milliseconds of a step, the fastest and the slowest of TIMED; None where they overlap another model's."""
        names, chosen = tuple(self.sizes), self.chosen
        spans = [(float(each.min()), float(each.max())) for each in step_times(names, chosen.text, chosen.length)]
        return {
            name: own if all(own[1] < other[0] or other[1] < own[0] for other in spans if other is not own) else None
            for name, own in zip(names, spans)
        }

    def measure_again(self) -> None:
        """Callback: forget the times, here too: the table runs again alone."""
        step_times.clear(tuple(self.sizes), self.chosen.text, self.chosen.length)
        self.__dict__.pop("times", None)


@st.cache_resource(max_entries=64, show_spinner=False)
def cache_size(model: str, text: str, length: int) -> CacheSize:
    """Real caches up to a length, filled with the text over and over. Raises BadText beyond learned positions."""
    lm = compute.model(model)
    ids = torch.tensor(_filled(model, text, length))[None]

    def work() -> CacheSize:
        lengths = [size for size in LENGTHS if size <= length]
        caches = [lm.new_cache() for _ in lengths]
        for cache, size in zip(caches, lengths):
            lm(ids[:, :size], cache)
        return CacheSize(np.array(lengths), np.array([cache.nbytes for cache in caches]))

    return compute.run_in_worker(work, length)


@st.cache_data(max_entries=16, show_spinner=False)
def step_times(models: tuple[str, ...], text: str, length: int) -> np.ndarray:
    """Milliseconds of one step of each model behind a cache of a length, [models, TIMED], measured when first shown."""
    lms = [compute.model(model) for model in models]
    ids = [_filled(model, text, length) for model in models]
    return compute.run_in_worker(lambda: decode_steps.step_times(lms, ids, TIMED), length)


def _filled(model: str, text: str, length: int) -> list[int]:
    """The text's ids over and over, up to a length."""
    return (compute.model(model).tokenizer.encode(text) * length)[:length]
