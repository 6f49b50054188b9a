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
from tlmviz.ui.cached import cached

from .state import CELLS, EMPTY, MODELS, Reading


@dataclass(frozen=True)
class Data:
    """What the part shows."""

    chosen: Reading

    @property
    def model(self) -> str:
        return MODELS[self.chosen.latents]

    @property
    def reader(self) -> DigitReader:
        return reader(self.model)

    @property
    def numbers(self) -> list[int]:
        """The held-out digits of the picture."""
        return [(self.chosen.picture + place) % len(digits.held_out()) for place in range(CELLS)]

    @cached_property
    def _said(self) -> ReadDigits | Error:
        try:
            return _reading(self.model, self.written, self.chosen.muted)
        except Error as error:
            return error

    @property
    def found(self) -> ReadDigits | None:
        """What is read; None of an empty picture, and where all latents are muted."""
        return self._said if isinstance(self._said, ReadDigits) else None

    @property
    def error(self) -> Error | None:
        """Why nothing is."""
        return self._said if isinstance(self._said, Error) else None

    @property
    def pixels(self) -> list[str]:
        """The letters of each cell as it was drawn."""
        return [
            drawn or digits.written(digits.held_out().images[index])
            for drawn, index in zip(self.chosen.drawn, self.numbers)
        ]

    @cached_property
    def images(self) -> list[Float[np.ndarray, "8 8"]]:
        """What is read of each cell: a drawing as the digits that it was trained on lie on their paper."""
        held_out = digits.held_out().images
        return [
            digits.normalised(digits.read(drawn)) if drawn else held_out[index]
            for drawn, index in zip(self.chosen.drawn, self.numbers)
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
            for drawn, index in zip(self.chosen.drawn, self.numbers)
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
    def held(self) -> Quality:
        """How the model reads the held-out digits."""
        return held_out(self.model)

    @cached(None)
    def wrong_first(model: str) -> list[int]:
        """The held-out pictures, those in which it reads most digits wrong before all others."""
        wrong = (~held_out(model).right_cells).sum(1)
        return np.argsort(-wrong, kind="stable").tolist()

    @cached(None)
    def muted_one_by_one(model: str) -> Float[np.ndarray, "m 9"]:
        """Share of the held-out digits of some pictures that is read right in each cell, with each latent muted alone;
        all of a single latent's are wrong, as nobody is left to read them."""
        lm = reader(model)
        if lm.config.n_latents == 1:
            return np.zeros((1, CELLS))

        def alone(latent: int) -> np.ndarray:
            found = quality(lambda pictures: lm.predict(pictures, mute=[latent]), SOME)
            return found.right_cells.mean(0)

        return shared.run_in_worker(lambda: np.stack([alone(latent) for latent in range(lm.config.n_latents)]))

    @property
    def checks(self) -> list[Check]:
        """The identities behind the picture, on what is shown with all latents heard; none where it is not read."""
        if self.found is None:
            return []
        lm, grid = self.reader, gridded(self.written)
        return shared.run_in_worker(lambda: measure(beyond_latents, lm, grid, lm.classify(grid)))


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
def read_of_some(model: str) -> Float[np.ndarray, " 9"]:
    """Share of the digits that is read right in pictures of one to nine."""
    return shared.run_in_worker(lambda: by_number(reader(model).predict))
