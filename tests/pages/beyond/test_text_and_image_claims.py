"""What the page Text and image claims, held against the models' own outputs and the labels of the digits."""

import itertools

import numpy as np

import tlmviz
from pages.beyond.text_and_image import claims
from pages.beyond.text_and_image.data import Data
from pages.beyond.text_and_image.examples import TAKEN
from pages.beyond.text_and_image.state import DEFAULT, DRAWN, Scene
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz import digits
from tlmviz.facades.scenes import language

LABELS = digits.held_out().labels
QUESTIONS = (
    "what is right of the 4",
    "where is the 9",
    "is there an 8",
    "how many digits are there",
    "describe the picture",
)
UNREAD = ("", "Où est le 7 😀", "hello", "what is left of the 7 " * 150)


def truth_of(question: str, grid: tuple[str, ...], of):
    """What is true whatever digit a drawn cell shows; None where that matters, or where more than three were drawn."""
    asked, drawn = language.parse(question), [i for i, cell in enumerate(grid) if cell and cell[0] != "h"]
    if len(drawn) > 3:
        return None
    found = []
    for guess in itertools.product(range(10), repeat=len(drawn)):
        labels = [int(LABELS[int(cell[1:])]) if cell[:1] == "h" else None for cell in grid]
        for cell, digit in zip(drawn, guess):
            labels[cell] = digit
        found.append(of(labels, asked))
    return found[0] if all(each == found[0] for each in found) else None


def truth(shown: Data) -> dict | None:
    """What both models say of a picture, and where the first one looked, from their outputs."""
    chosen = shown.chosen
    if shown.found is None:
        return None
    answer = tlmviz.load("digits-scenes").answer(chosen.pictures, chosen.question)
    marking = tlmviz.load("digits-scenes-turned").mark(chosen.pictures, chosen.question)
    word, _, head, *_ = shown.shown
    looked = None
    if word > len(answer.asked):
        maps = np.concatenate(list(answer.maps[word - 1 - len(answer.asked)]))  # [heads of all layers, patches]
        row = maps[head - 1] if head else maps.mean(0)
        sums = np.zeros(9)
        for patch, weight in enumerate(row):
            sums[patch // 6 // 2 * 3 + patch % 6 // 2] += weight
        if sums.max() >= 0.505:
            name = divmod(head - 1, 4) if head else ()
            said = answer.words[word - 1 - len(answer.asked)]
            looked = [said, *name, language.PLACES[sums.argmax()], f"{sums.max():.0%}"]
    marked = [
        cell
        for cell in range(9)
        if all(marking.patches[p] > 0.5 for p in range(36) if p // 6 // 2 * 3 + p % 6 // 2 == cell)
    ]
    assert answer.maps.shape[2] == 4 and (not marking.marked or set(marked) <= set(marking.marked))
    return {
        "said": answer.text,
        "true": truth_of(chosen.question, chosen.grid, language.answer),
        "looked": looked or [],
        "marked": marking.marked,
        "cells": truth_of(chosen.question, chosen.grid, language.cells),
        "drawn": sum(1 for cell in chosen.grid if cell and cell[0] != "h"),
    }


def names_of(cells: list[int]) -> list:
    """Cells as a sentence names them."""
    if len(cells) > 3:
        return [len(cells)]
    *first, last = [language.PLACES[cell] for cell in cells] or [None]
    return [*([", ".join(f"the {each}" for each in first)] if first else []), *([last] if last else [])]


def _wrong(t: dict):
    if t["true"] in (None, t["said"]):
        return None
    return [*filter(None, [t["said"]]), t["true"], *t["looked"]]


PLAIN = {
    "right": lambda t: [t["said"], *t["looked"]] if t["said"] == t["true"] else None,
    "wrong": _wrong,
    "unknown": lambda t: [t["said"], *t["looked"]] if t["true"] is None else None,
    "marks_right": lambda t: names_of(t["marked"]) if t["marked"] == t["cells"] else None,
    "marks_wrong": lambda t: (
        None if t["cells"] in (None, t["marked"]) else [*names_of(t["marked"]), *names_of(t["cells"])]
    ),
    "marks_unknown": lambda t: names_of(t["marked"]) if t["cells"] is None else None,
    "drawn": lambda t: [t["drawn"]] if t["drawn"] else None,
}


def test_answers_and_marks_are_judged_by_the_labels():
    found = []
    start = {name: control.default for name, control in Scene.controls.items()}
    own = [{"question": text} for text in (*QUESTIONS, *UNREAD)]
    own += [{"grid": ("h0", DRAWN, *[""] * 7), "question": text} for text in QUESTIONS]
    own += [{"shown": (8, 0, 0, 1, 0)}, {"shown": (3, 0, 2, 1, 0)}, {"grid": (DRAWN,) * 9}]
    own += [{"grid": TAKEN, "question": "what is left of the 5"}]
    for chosen in (*states(Scene, {}), *(Scene(**start | case) for case in own)):
        shown = Data(chosen)
        plain = truth(shown)
        if plain is None:
            said = {claim.__name__: bool(claim(shown)) for claim in claims.CLAIMS}
            assert not any(said[name] for name in said if name != "drawn") and shown.error
            continue
        found.append(agree(claims.CLAIMS, PLAIN, shown, plain))
    each_speaks_and_is_silent(found)


def test_the_weaker_model_is_called_so_only_where_it_is():
    class Measured(Data):
        accuracy: tuple = ()

    chosen = Scene(**{name: control.default for name, control in Scene.controls.items()})
    shown = Data(chosen)

    def said(first, second):
        measured = Measured(chosen)
        object.__setattr__(measured, "accuracy", ({"side": first}, {"side": second}, {}))
        return claims.compared(measured)

    assert said(0.9701, 0.9699) is None
    assert "weaker" in said(0.97, 0.9) and "better" not in said(0.97, 0.9)
    assert "better" in said(0.9, 0.97) and "weaker" not in said(0.9, 0.97)
    answered, marked = (f"{part['side']:.0%}" for part in shown.accuracy[:2])
    assert chosen.grid == DEFAULT and claims.compared(shown).values == (marked, answered)
