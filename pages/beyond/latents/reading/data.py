"""Everything that the part Reading digits shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

import tlmviz
from tlmviz import digits
from tlmviz.analysis.beyond.digit_quality import SOME, Quality, by_number, quality
from tlmviz.checks import Check, beyond_latents, measure
from tlmviz.errors import Error
from tlmviz.facades.latents import DigitReader, ReadDigits
from tlmviz.ui import compute as shared

from .state import CELLS, EMPTY, MODELS, Reading

NEAREST = 3  # of the digits that it was trained on


@dataclass(frozen=True)
class Data:
    """What the part shows; `found` is None where the picture is not read, and `error` says why."""

    chosen: Reading
    model: str
    found: ReadDigits | None
    error: Error | None

    @property
    def reader(self) -> DigitReader:
        return reader(self.model)

    @property
    def pixels(self) -> list[str]:
        """The letters of each cell as it was drawn."""
        return [
            drawn or digits.written(digits.held_out().images[index])
            for drawn, index in zip(self.chosen.drawn, numbers(self.chosen.picture))
        ]

    @cached_property
    def images(self) -> list[Float[np.ndarray, "8 8"]]:
        """What is read of each cell: a drawing as the digits that it was trained on lie on their paper."""
        held_out = digits.held_out().images
        return [
            digits.normalised(digits.read(drawn)) if drawn else held_out[index]
            for drawn, index in zip(self.chosen.drawn, numbers(self.chosen.picture))
        ]

    @property
    def written(self) -> tuple[str, ...]:
        """The letters of what is read."""
        return tuple(map(digits.written, self.images))

    @property
    def moved(self) -> bool:
        """Whether what is read of the chosen cell is another picture than what was drawn there."""
        return self.written[self.chosen.cell] != self.pixels[self.chosen.cell]

    @property
    def truth(self) -> list[int | None]:
        """What each cell holds: a digit, digits.NOTHING where it was emptied, None for a drawing."""
        labels = digits.held_out().labels
        return [
            int(labels[index]) if not drawn else digits.NOTHING if drawn == EMPTY else None
            for drawn, index in zip(self.chosen.drawn, numbers(self.chosen.picture))
        ]

    @property
    def read(self) -> list[int]:
        """What each cell is read as; digits.NOTHING is nothing."""
        return [] if self.found is None else self.found.probabilities.argmax(-1).tolist()

    @cached_property
    def whole_read(self) -> list[int] | None:
        """What each cell is read as by all latents; None where the picture is empty."""
        try:
            whole = _reading(self.model, self.written, ())
        except Error:
            return None
        return whole.probabilities.argmax(-1).tolist()

    @cached_property
    def without(self) -> dict[int, ReadDigits]:
        """Latent -> what the picture is read as with that one muted as well; none where it is not read, or read by
        one."""
        heard = [latent for latent in range(self.chosen.latents) if latent not in self.chosen.muted]
        if self.found is None or len(heard) < 2:
            return {}
        return {latent: _reading(self.model, self.written, (*self.chosen.muted, latent)) for latent in heard}

    @property
    def on_the_cell(self) -> Float[np.ndarray, "l m"]:
        """How much of each latent's reading lies on the chosen cell, in each layer, in the mean of the heads."""
        assert self.found is not None
        maps = self.found.maps.reshape(*self.found.maps.shape[:2], *(digits.GRID, digits.SIDE) * 2)
        by_cell: np.ndarray = maps.sum((3, 5)).reshape(*maps.shape[:2], CELLS)
        return by_cell[..., self.chosen.cell]

    @property
    def asked(self) -> Float[np.ndarray, " m"]:
        """How much the chosen cell's answer takes from each latent, in the mean of the heads."""
        assert self.found is not None
        mean: np.ndarray = self.found.answering.mean(0)[self.chosen.cell]
        return mean

    @cached_property
    def nearest(self) -> list[int]:
        """What the digits are that it was trained on and that are most like the chosen cell, pixel by pixel."""
        known = digits.training()
        apart = ((known.images - self.images[self.chosen.cell]) ** 2).sum((1, 2))
        return known.labels[np.argsort(apart, kind="stable")[:NEAREST]].tolist()

    @property
    def right(self) -> dict[int, float]:
        """Share of the held-out digits that is read right, nine to a picture, by the number of latents."""
        return {number: held_out(name).right for number, name in MODELS.items()}

    @property
    def whole(self) -> dict[int, float]:
        """Share of the pictures in which all nine are."""
        return {number: held_out(name).whole for number, name in MODELS.items()}

    @property
    def by_number(self) -> dict[int, Float[np.ndarray, " 9"]]:
        """The same in pictures of one to nine digits, by the number of latents."""
        return {number: read_of_some(name) for number, name in MODELS.items()}

    @property
    def muted_one_by_one(self) -> Float[np.ndarray, "m 9"]:
        """Share of the held-out digits in each cell that is read right with each latent muted alone."""
        return muted_one_by_one(self.model)

    @property
    def right_in_cells(self) -> Float[np.ndarray, " 9"]:
        """The same with no latent muted."""
        return right_in_cells(self.model)

    @property
    def checks(self) -> list[Check]:
        """The identities behind the picture, on what is shown with all latents heard."""
        lm, grid = self.reader, gridded(self.written)
        return shared.run_in_worker(lambda: measure(beyond_latents, lm, grid, lm.classify(grid)))


def compute(chosen: Reading) -> Data:
    """The data of a state. An empty picture and one whose latents are all muted is not read."""
    shown = Data(chosen, MODELS[chosen.latents], None, None)
    try:
        return Data(chosen, shown.model, _reading(shown.model, shown.written, chosen.muted), None)
    except Error as error:
        return Data(chosen, shown.model, None, error)


def numbers(picture: int) -> list[int]:
    """The held-out digits of a held-out picture."""
    return [(picture + place) % len(digits.held_out()) for place in range(CELLS)]


def gridded(cells: tuple[str, ...]) -> list[list[Any]]:
    """Cells in letters as the model takes them."""
    images = [None if cell == EMPTY else digits.read(cell) for cell in cells]
    return [images[row : row + digits.GRID] for row in range(0, CELLS, digits.GRID)]


@st.cache_resource(show_spinner=False)
def reader(model: str) -> DigitReader:
    """A latent array."""
    found = tlmviz.load(model)
    assert isinstance(found, DigitReader)
    return found


@st.cache_resource(max_entries=256, show_spinner=False)
def _reading(model: str, cells: tuple[str, ...], muted: tuple[int, ...]) -> ReadDigits:
    return shared.run_in_worker(lambda: reader(model).classify(gridded(cells), mute=muted))


@st.cache_resource(show_spinner=False)
def held_out(model: str) -> Quality:
    """How it reads the held-out digits."""
    return shared.run_in_worker(lambda: quality(reader(model).predict))


@st.cache_data(show_spinner=False)
def wrong_first(model: str) -> list[int]:
    """The held-out pictures, those in which it reads most digits wrong before all others."""
    wrong = (~held_out(model).right_cells).sum(1)
    return np.argsort(-wrong, kind="stable").tolist()


@st.cache_data(show_spinner=False)
def read_of_some(model: str) -> Float[np.ndarray, " 9"]:
    """Share of the digits that is read right in pictures of one to nine."""
    return shared.run_in_worker(lambda: by_number(reader(model).predict))


@st.cache_data(show_spinner=False)
def muted_one_by_one(model: str) -> Float[np.ndarray, "m 9"]:
    """Share of the digits of some held-out pictures that is read right in each cell, with each latent muted alone; all
    of a single latent's are wrong, as nobody is left to read them."""
    lm = reader(model)
    if lm.config.n_latents == 1:
        return np.zeros((1, CELLS))

    def alone(latent: int) -> np.ndarray:
        found = quality(lambda pictures: lm.predict(pictures, mute=[latent]), SOME)
        return found.right_cells.mean(0)

    return shared.run_in_worker(lambda: np.stack([alone(latent) for latent in range(lm.config.n_latents)]))


@st.cache_data(show_spinner=False)
def right_in_cells(model: str) -> Float[np.ndarray, " 9"]:
    """The same with no latent muted."""
    right: np.ndarray = held_out(model).right_cells[::SOME].mean(0)
    return right
