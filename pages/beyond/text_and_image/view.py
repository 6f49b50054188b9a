"""Draws the page Text and image: the live picture, and below it how often both models are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tlmviz.errors import Error
from tlmviz.facades.scenes.grid import pictured
from tlmviz.facades.scenes.language import PLACES
from tlmviz.figures.beyond.scenes import accuracy
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from . import claims
from .data import SCENES, Data
from .state import Scene

PICTURE = live.Picture(__file__, "scene", question=Scene.question, grid=Scene.grid, shown=Scene.shown, cell=Scene.cell)
EQUATIONS = (
    (
        r"\mathbf{Q} = \mathbf{X}_{\text{text}} \mathbf{W}_Q, \quad \mathbf{K} = \mathbf{X}_{\text{image}} "
        r"\mathbf{W}_K, \quad \mathbf{V} = \mathbf{X}_{\text{image}} \mathbf{W}_V, \qquad "
        r"\mathrm{softmax}\left(\frac{\mathbf{Q}\mathbf{K}^\top}{\sqrt{d}}\right) \in "
        r"\mathbb{R}^{\text{words} \times 36}",
        "Attention: the mathematics, section 2.2, Eq. 33 (image-to-text cross-attention): the text asks the image.",
    ),
    (
        r"\mathbf{Q} = \mathbf{X}_{\text{image}} \mathbf{W}_Q, \quad \mathbf{K} = \mathbf{X}_{\text{text}} "
        r"\mathbf{W}_K, \quad \mathbf{V} = \mathbf{X}_{\text{text}} \mathbf{W}_V, \qquad "
        r"\mathrm{softmax}\left(\frac{\mathbf{Q}\mathbf{K}^\top}{\sqrt{d}}\right) \in "
        r"\mathbb{R}^{36 \times \text{words}}",
        "The same section, Eq. 32 (text-to-image cross-attention): the image asks the text.",
    ),
)


def controls() -> Scene:
    """The question; what else there is, the picture holds."""
    Scene.question.draw()
    return Scene.of_session()


def picture(data: Data) -> None:
    """The cells, and who looks where; where nothing can be answered, the cells and why."""
    chosen, found = data.chosen, data.found
    problem = _worded(data.error) if data.error else ""
    title = _("{question}? {said}", question=chosen.question[:80], said=found.answer.text) if found else problem
    header: dict[str, Any] = {
        "title": title,
        "names": list(PLACES),
        "picks": data.picks,
        "opens": data.shown,
        "problem": problem,
    }
    arrays = {"pixels": pictured(chosen.pictures).astype(np.uint8)}
    if found:
        answer, marking = found.answer, found.marking
        header |= {
            "asked": answer.asked,
            "words": answer.words,
            "probabilities": answer.probabilities.tolist(),
            "read": marking.words,
            "sizes": {"asks": answer.maps.shape[1:3], "turned": marking.maps.shape[1:3]},
            "verdict": claims.verdict(data),
            "marking": claims.marks_right(data) or claims.marks_wrong(data) or claims.marks_unknown(data),
            "wrong": claims.wrong(data) is not None,
            "markedWrong": claims.marks_wrong(data) is not None,
        }
        maps = np.concatenate((answer.asked_maps, answer.maps))
        arrays |= {"asks": maps, "marks": marking.patches, "turned": marking.maps}
    PICTURE.show(header, arrays)


def _worded(error: Error) -> str:
    """An error's sentence; the questions that there are stand above the picture as buttons."""
    values = error.values | ({"forms": _("those above the picture")} if "forms" in error.values else {})
    return _(error.message, **values) if error.message else str(error)


def quality(data: Data) -> None:
    """How often both models are right, by kind of question."""
    with st.spinner(_("Asking about fresh pictures …"), show_time=True):
        said = claims.compared(data)
    right, marked, usual = data.accuracy
    title = _("{scenes} fresh pictures of held-out digits per kind of question (share right)", scenes=SCENES)
    alt = _("Shares of questions answered and marked right, by kind")
    frame.chart(accuracy(right, marked, usual, frame.theme(), title=title), key="scenesright", alt=alt)
    frame.what_to_notice(*filter(None, [said]))


def words(data: Data) -> None:
    """Identities, equations and the snippet; without an answer the equations alone."""
    if data.found:
        frame.badges(data.checks)
    for equation in EQUATIONS:
        frame.equation(*equation)
    if data.found:
        frame.copy_as_python(snippet(data))


def snippet(data: Data) -> str:
    """Answer and marks with the public API."""
    cells = [_spelled(cell) for cell in data.chosen.grid]
    rows = "".join(f"    [{', '.join(cells[row : row + 3])}],\n" for row in (0, 3, 6))
    question = data.chosen.question
    return f"""\
import tlmviz
from tlmviz import digits

images = digits.held_out().images  # [382, 8, 8] in 0-16; training never saw them
grid = [
{rows}]
answer = tlmviz.load("digits-scenes").answer(grid, {question!r})
print(answer.text, answer.maps.shape)  # [words, layers, heads, patches]
marking = tlmviz.load("digits-scenes-turned").mark(grid, {question!r})
print(marking.cells.round(2), marking.maps.shape)  # [patches, layers, heads, words]
"""


def _spelled(cell: str) -> str:
    if not cell:
        return "None"
    return f"images[{cell[1:]}]" if cell[0] == "h" else f'digits.read("{cell}")'
