"""Draws the page "Text and image": the live picture, and below it how often both models are right."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.beyond.scenes import accuracy
from tlmviz.scenes.grid import pictured
from tlmviz.scenes.language import PLACES
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import payload, scene_view
from .controls import Choice

SHOWN = ("word", "patch", "head", "turnedWord", "turnedHead")


def show(choice: Choice) -> None:
    """The picture, then what to notice and all that is below."""
    found, problem = compute.tried(choice)
    header = {
        "cells": list(choice.cells),
        "names": list(PLACES),
        "question": choice.question,
        "picks": words.picks(choice),
        "cell": choice.cell,
        "seq": choice.sequence,
        "problem": problem,
        "picture": below.next_picture(),
    }
    arrays = {"pixels": pictured(choice.grid).astype(np.uint8)}
    if found is None:
        header |= _nothing()
        arrays |= {name: np.zeros(0, np.float32) for name in ("maps", "marks", "turned")}
    else:
        header |= _answer(choice, found)
        arrays |= {
            "maps": np.concatenate((found.answer.asked_maps, found.answer.maps)),
            "marks": found.marking.patches,
            "turned": found.marking.maps,
        }
    scene_view(payload(header, arrays), key=controls.KEY, on_change=controls.keep)
    below.when_painted("beneath-scene", lambda: _beneath(choice, found is not None))


def _answer(choice: Choice, found: compute.Looked) -> dict:
    return {
        "asked": found.answer.asked,
        "words": found.answer.words,
        "probabilities": found.answer.probabilities.tolist(),
        "verdict": words.verdict(found),
        "wrong": found.truth is not None and found.answer.text != found.truth,
        "layers": found.answer.maps.shape[1],
        "heads": found.answer.maps.shape[2],
        "read": found.marking.words,
        "marking": words.marking(found),
        "markedWrong": found.true_cells is not None and found.marking.marked != found.true_cells,
        "turnedLayers": found.marking.maps.shape[1],
        "turnedHeads": found.marking.maps.shape[2],
        "shown": dict(zip(SHOWN, compute.shown(choice, found))),
    }


def _nothing() -> dict:
    """The header where nothing can be answered."""
    texts = dict.fromkeys(("verdict", "marking"), "")
    lists: dict[str, list] = {name: [] for name in ("asked", "words", "probabilities", "read")}
    numbers = dict.fromkeys(("layers", "heads", "turnedLayers", "turnedHeads"), 1)
    wrong = dict.fromkeys(("wrong", "markedWrong"), False)
    return {**texts, **lists, **numbers, **wrong, "shown": dict.fromkeys(SHOWN, 0)}


def _beneath(choice: Choice, answered: bool) -> None:
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    with st.spinner(words.ASKING, show_time=True):
        right, marked, usual = compute.accuracy()
    figure = accuracy(
        right, marked, usual, frame.theme(),
        title=words.fresh_pictures_title(compute.SCENES),
    )  # fmt: skip
    frame.chart(figure, key="scenesright", alt=words.SCENESRIGHT_ALT)
    if answered:
        frame.badges(compute.checks(choice))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    if answered:
        frame.copy_as_python(words.snippet(choice))
