"""Everything that the page Text and image shows: what both models say of a picture, and how often they are right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
from jaxtyping import Float

import tlmviz
from tlmviz.checks import Check, beyond_scenes, measure
from tlmviz.errors import BadText, Error
from tlmviz.facades.scenes import language
from tlmviz.facades.scenes.models import Answer, Marking, PictureMarker, PictureReader
from tlmviz.training.scenes_export import measured_on, usual
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached
from tlmviz.ui.language import N_

from .state import CELLS, PATCHES, Scene

READER, MARKER = "digits-scenes", "digits-scenes-turned"
SCENES = 200  # of each kind, for the chart
LONGEST = 200  # characters of a question


@dataclass(frozen=True)
class Looked:
    """What both models make of a choice; `truth` and `true_cells` are None where drawn digits leave the answer open."""

    answer: Answer
    marking: Marking
    truth: str | None
    true_cells: list[int] | None


@dataclass(frozen=True)
class Data:
    """A picture and a question, and what both models say."""

    chosen: Scene

    @cached_property
    def _said(self) -> Looked | Error:
        chosen = self.chosen
        try:
            if len(chosen.question) > LONGEST:
                length = f"{len(chosen.question):,}"
                said = N_("A question has at most {most} characters, and this one has {length}.")
                raise BadText(said, most=LONGEST, length=length)
            return _looked(chosen.grid, chosen.question)
        except Error as error:
            return error

    @property
    def found(self) -> Looked | None:
        """What both models make of it; None where there is no answer."""
        return self._said if isinstance(self._said, Looked) else None

    @property
    def error(self) -> Error | None:
        """Why there is none."""
        return self._said if isinstance(self._said, Error) else None

    @cached_property
    def shown(self) -> list[int]:
        """Word, patch, head, word and head of the turned model: those of the link, else the answer's digit, or its last
        word, and the heads that look most at what the answer speaks of."""
        return _shown(self.chosen, self.found) if self.found else [0] * 5

    @property
    def words(self) -> list[str]:
        """Of the question and the answer, behind one another."""
        return [*self.found.answer.asked, *self.found.answer.words] if self.found else []

    @property
    def picks(self) -> list[str]:
        """A few questions about the picture, one of each kind."""
        known = [label for label in self.chosen.labels if label is not None]
        single = [label for label in known if known.count(label) == 1] or known or [7]
        first, last = single[0], single[-1]
        return [
            f"what is right of the {first}",
            f"what is above the {last}",
            f"where is the {single[len(single) // 2]}",
            "what is at the middle",
            f"is there {language.a((first + 1) % 10)}",
            "how many digits are there",
            "describe the picture",
        ]

    @property
    def looks(self) -> Float[np.ndarray, " cells"] | None:
        """How the weight of the chosen word in the chosen head is divided over the cells; None where no word is
        chosen."""
        word, _patch, head, *_turned = self.shown
        if not word or self.found is None:
            return None
        maps = np.concatenate((self.found.answer.asked_maps, self.found.answer.maps))[word - 1].reshape(-1, PATCHES)
        row = maps[head - 1] if head else maps.mean(0)
        return np.asarray(row.reshape(3, 2, 3, 2).sum((1, 3))).reshape(CELLS)

    @property
    def checks(self) -> list[Check]:
        """The identities behind this page, on this picture and question."""
        found, chosen = self.found, self.chosen
        if found is None:
            return []
        return shared.run_in_worker(
            lambda: [
                *measure(beyond_scenes, reader(), chosen.pictures, chosen.question, found.answer),
                *measure(beyond_scenes, marker(), chosen.pictures, chosen.question, found.marking),
            ]
        )

    @cached(None)
    def accuracy() -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
        """By kind of question on fresh scenes of held-out digits: answered right, marked right, what the usual answer
        gets."""
        return shared.run_in_worker(
            lambda: (
                measured_on(reader(), SCENES),
                measured_on(marker(), SCENES),
                {kind: usual(kind, SCENES) for kind in language.KINDS},
            )
        )


@st.cache_resource(show_spinner=False)
def reader() -> PictureReader:
    """The model whose words attend to patches."""
    model = tlmviz.load(READER)
    assert isinstance(model, PictureReader)
    return model


@st.cache_resource(show_spinner=False)
def marker() -> PictureMarker:
    """The model whose patches attend to words."""
    model = tlmviz.load(MARKER)
    assert isinstance(model, PictureMarker)
    return model


@st.cache_resource(max_entries=64, show_spinner=False)
def _looked(grid: tuple[str, ...], text: str) -> Looked:
    chosen, question = Scene(grid=grid, question=text, shown=(), cell=0), language.parse(text)

    def work() -> tuple[Answer, Marking]:
        return reader().answer(chosen.pictures, text), marker().mark(chosen.pictures, text)

    answer, marking = shared.run_in_worker(work)
    truth = language.settled(chosen.labels, chosen.drawn, lambda labels: language.answer(labels, question))
    cells = language.settled(chosen.labels, chosen.drawn, lambda labels: language.cells(labels, question))
    return Looked(answer, marking, truth, cells)


def _shown(chosen: Scene, found: Looked) -> list[int]:
    words, read = len(found.answer.asked) + len(found.answer.words), found.marking.words
    if chosen.shown:
        word, patch, head, turned_word, turned_head = chosen.shown
        head, turned_head = (
            min(each, part.maps.shape[1] * part.maps.shape[2])
            for each, part in ((head, found.answer), (turned_head, found.marking))
        )
        return [min(word, words), patch, head, min(turned_word, len(read)), turned_head]
    place = next((i for i, word in enumerate(found.answer.words) if word.isdigit()), len(found.answer.words) - 1)
    asked = next((i for i, word in enumerate(read) if word.isdigit()), len(read) - 2)
    patches = np.flatnonzero(found.marking.patches > 0.5)
    if not len(patches) or place < 0:
        return [max(0, len(found.answer.asked) + place + 1), 0, 0, asked + 1, 0]
    head = int(found.answer.maps[place][..., patches].sum(-1).argmax())
    turned = int(found.marking.maps[patches][..., asked].mean(0).argmax())
    return [len(found.answer.asked) + place + 1, 0, head + 1, asked + 1, turned + 1]
