"""Everything the page "Text and image" computes, cached: both models, what they say, and how often they are right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

import tlmviz
from tlmviz.checks import Check, beyond_scenes, measure
from tlmviz.errors import Error
from tlmviz.scenes import language
from tlmviz.scenes.language import Question
from tlmviz.scenes.models import Answer, Marking, PictureMarker, PictureReader
from tlmviz.training.scenes_export import measured_on, usual
from tlmviz.ui import compute as shared

from .controls import Choice

READER, MARKER = "digits-scenes", "digits-scenes-turned"
SCENES = 200  # of each kind, for the chart


@dataclass(frozen=True)
class Looked:
    """What both models make of a choice; `truth` and `true_cells` are None where drawn digits leave the answer open."""

    question: Question
    answer: Answer
    marking: Marking
    truth: str | None
    true_cells: list[int] | None


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
def _looked(cells: tuple[str, ...], text: str) -> Looked:
    choice = Choice(cells, text, (), 0)
    question = language.parse(text)

    def work() -> tuple[Answer, Marking]:
        return reader().answer(choice.grid, text), marker().mark(choice.grid, text)

    answer, marking = shared.run_in_worker(work)
    truth = language.settled(choice.labels, choice.drawn, lambda labels: language.answer(labels, question))
    cells_of = language.settled(choice.labels, choice.drawn, lambda labels: language.cells(labels, question))
    return Looked(question, answer, marking, truth, cells_of)


def looked(choice: Choice) -> Looked:
    """What the models say. Raises BadText and BadShape."""
    return _looked(choice.cells, choice.question)


def tried(choice: Choice) -> tuple[Looked | None, str]:
    """The same, or None and the sentence that says what is wrong."""
    try:
        return looked(choice), ""
    except Error as error:
        return None, str(error)


def shown(choice: Choice, found: Looked) -> list[int]:
    """Word, patch, head, word and head of the turned model: those of the link, else the answer's digit, or its last word, and the
    heads that look most at what the answer speaks of."""
    words = len(found.answer.asked) + len(found.answer.words)
    if choice.shown:
        word, patch, head, turned_word, turned_head = choice.shown
        head, turned_head = (
            min(each, _heads(part.maps))
            for each, part in ((head, found.answer), (turned_head, found.marking))
        )
        return [min(word, words), patch, head, min(turned_word, len(found.marking.words)), turned_head]
    place = next(
        (i for i, word in enumerate(found.answer.words) if word.isdigit()), len(found.answer.words) - 1
    )
    asked = next(
        (i for i, word in enumerate(found.marking.words) if word.isdigit()), len(found.marking.words) - 2
    )
    patches = np.flatnonzero(found.marking.patches > 0.5)
    if not len(patches) or place < 0:
        return [max(0, len(found.answer.asked) + place + 1), 0, 0, asked + 1, 0]
    head = int(found.answer.maps[place][..., patches].sum(-1).argmax())
    turned = int(found.marking.maps[patches][..., asked].mean(0).argmax())
    return [len(found.answer.asked) + place + 1, 0, head + 1, asked + 1, turned + 1]


def checks(choice: Choice) -> list[Check]:
    """The identities behind this page, on this picture and question."""
    found = looked(choice)
    return shared.run_in_worker(
        lambda: [
            *measure(beyond_scenes, reader(), choice.grid, choice.question, found.answer),
            *measure(beyond_scenes, marker(), choice.grid, choice.question, found.marking),
        ]
    )


@st.cache_data(show_spinner=False)
def accuracy() -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """By kind of question on fresh scenes of held-out digits: answered right, marked right, and what the usual answer gets."""
    return shared.run_in_worker(
        lambda: (
            measured_on(reader(), SCENES),
            measured_on(marker(), SCENES),
            {kind: usual(kind, SCENES) for kind in language.KINDS},
        )
    )


def _heads(maps: np.ndarray) -> int:
    return int(maps.shape[1] * maps.shape[2])
