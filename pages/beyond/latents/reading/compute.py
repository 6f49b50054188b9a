"""Everything the part "Reading a digit" computes, cached."""

from __future__ import annotations

import streamlit as st

import tlmviz
from tlmviz import digits
from tlmviz.analysis.beyond.digit_quality import Quality, quality
from tlmviz.checks import Check, beyond_latents, measure
from tlmviz.latents import DigitReader, ReadDigit
from tlmviz.ui import compute as shared

from .controls import MODELS, Choice


@st.cache_resource(show_spinner=False)
def reader(model: str) -> DigitReader:
    """A latent array."""
    found = tlmviz.load(model)
    assert isinstance(found, DigitReader)
    return found


@st.cache_resource(max_entries=64, show_spinner=False)
def _reading(model: str, pixels: str, muted: tuple[int, ...]) -> ReadDigit:
    return shared.run_in_worker(lambda: reader(model).classify(digits.read(pixels), mute=muted))


def reading(choice: Choice) -> ReadDigit:
    """What the picture is read as. Raises BadShape for an empty one, UnknownName where all latents are muted."""
    return _reading(choice.model, choice.pixels, choice.muted)


@st.cache_resource(show_spinner=False)
def held_out(model: str) -> Quality:
    """How it reads the held-out digits."""
    return shared.run_in_worker(lambda: quality(reader(model).predict))


@st.cache_data(show_spinner=False)
def right(model: str) -> float:
    """Share of the held-out digits that it reads right."""
    return held_out(model).right


@st.cache_data(show_spinner=False)
def wrong_first(model: str) -> list[int]:
    """The held-out digits, those that it reads wrong before all others."""
    wrong = held_out(model).wrong
    return [*wrong, *(index for index in range(len(digits.held_out())) if index not in set(wrong))]


def named(model: str, index: int) -> str:
    """A held-out digit in words."""
    read, truth = int(held_out(model).read[index]), int(digits.held_out().labels[index])
    return f"no. {index}: a {truth}" + (f", read as {read} ✗" if read != truth else "")


@st.cache_data(show_spinner=False)
def muted_one_by_one(model: str) -> list[float]:
    """Share of the held-out digits read right with each latent muted alone."""
    data, lm = digits.held_out(), reader(model)

    def work() -> list[float]:
        return [
            float((lm.predict(data.images, mute=[latent]).argmax(1) == data.labels).mean())
            for latent in range(lm.config.n_latents)
        ]

    return shared.run_in_worker(work)


def all_right() -> dict[int, float]:
    """Share of the held-out digits read right, by the number of latents."""
    return {number: right(model) for number, model in MODELS.items()}


def checks(choice: Choice) -> list[Check]:
    """The identities behind the picture, on what is shown with all latents heard."""
    lm, image = reader(choice.model), choice.image
    return shared.run_in_worker(lambda: measure(beyond_latents, lm, image, lm.classify(image)))
