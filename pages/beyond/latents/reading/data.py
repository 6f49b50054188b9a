"""Everything that the part Reading a digit shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
from jaxtyping import Float

import tlmviz
from tlmviz import digits
from tlmviz.analysis.beyond.digit_quality import Quality, quality
from tlmviz.checks import Check, beyond_latents, measure
from tlmviz.errors import Error
from tlmviz.latents import DigitReader, ReadDigit
from tlmviz.ui import compute as shared

from .state import MODELS, Reading

NEAREST = 3  # of the digits that it was trained on


@dataclass(frozen=True)
class Data:
    """What the part shows; `found` is None where the picture is not read, and `error` says why."""

    chosen: Reading
    model: str
    found: ReadDigit | None
    error: Error | None

    @property
    def reader(self) -> DigitReader:
        return reader(self.model)

    @property
    def pixels(self) -> str:
        """The letters of the picture on the pad."""
        return self.chosen.pixels or digits.written(digits.held_out().images[self.chosen.digit])

    @cached_property
    def image(self) -> Float[np.ndarray, "8 8"]:
        """What is read of it: a drawing as the digits that it was trained on lie on their paper."""
        if not self.chosen.pixels:
            return digits.held_out().images[self.chosen.digit]
        return digits.normalised(digits.read(self.chosen.pixels))

    @property
    def moved(self) -> bool:
        """Whether that is another picture."""
        return digits.written(self.image) != self.pixels

    @property
    def truth(self) -> int | None:
        """What the digit is; None for a drawing."""
        return None if self.chosen.pixels else int(digits.held_out().labels[self.chosen.digit])

    @cached_property
    def without(self) -> dict[int, ReadDigit]:
        """Latent -> what the picture is read as with that one muted as well; none where it is not read, or read by one."""
        heard = [latent for latent in range(self.chosen.latents) if latent not in self.chosen.muted]
        if self.found is None or len(heard) < 2:
            return {}
        read = digits.written(self.image)
        return {latent: _reading(self.model, read, (*self.chosen.muted, latent)) for latent in heard}

    @cached_property
    def nearest(self) -> list[int]:
        """What the digits are that it was trained on and that are most like the picture, pixel by pixel."""
        known = digits.training()
        apart = ((known.images - self.image) ** 2).sum((1, 2))
        return known.labels[np.argsort(apart, kind="stable")[:NEAREST]].tolist()

    @property
    def quality(self) -> Quality:
        """How it reads the held-out digits."""
        return held_out(self.model)

    @property
    def right(self) -> dict[int, int]:
        """Held-out digits read right, by the number of latents."""
        return {number: len(digits.held_out()) - len(held_out(name).wrong) for number, name in MODELS.items()}

    @property
    def muted_one_by_one(self) -> list[float]:
        """Share of the held-out digits read right with each latent muted alone."""
        return muted_one_by_one(self.model)

    @property
    def checks(self) -> list[Check]:
        """The identities behind the picture, on what is shown with all latents heard."""
        lm, image = self.reader, self.image
        return shared.run_in_worker(lambda: measure(beyond_latents, lm, image, lm.classify(image)))


def compute(chosen: Reading) -> Data:
    """The data of a state. An empty picture and one whose latents are all muted is not read."""
    shown = Data(chosen, MODELS[chosen.latents], None, None)
    try:
        read = digits.written(shown.image)
        return Data(chosen, shown.model, _reading(shown.model, read, chosen.muted), None)
    except Error as error:
        return Data(chosen, shown.model, None, error)


@st.cache_resource(show_spinner=False)
def reader(model: str) -> DigitReader:
    """A latent array."""
    found = tlmviz.load(model)
    assert isinstance(found, DigitReader)
    return found


@st.cache_resource(max_entries=256, show_spinner=False)
def _reading(model: str, pixels: str, muted: tuple[int, ...]) -> ReadDigit:
    return shared.run_in_worker(lambda: reader(model).classify(digits.read(pixels), mute=muted))


@st.cache_resource(show_spinner=False)
def held_out(model: str) -> Quality:
    """How it reads the held-out digits."""
    return shared.run_in_worker(lambda: quality(reader(model).predict))


@st.cache_data(show_spinner=False)
def wrong_first(model: str) -> list[int]:
    """The held-out digits, those that it reads wrong before all others."""
    wrong = held_out(model).wrong
    return [*wrong, *(index for index in range(len(digits.held_out())) if index not in set(wrong))]


@st.cache_data(show_spinner=False)
def muted_one_by_one(model: str) -> list[float]:
    """Share of the held-out digits read right with each latent muted alone."""
    data, lm = digits.held_out(), reader(model)

    def alone(latent: int) -> float:
        return float((lm.predict(data.images, mute=[latent]).argmax(1) == data.labels).mean())

    return shared.run_in_worker(lambda: [alone(latent) for latent in range(lm.config.n_latents)])
