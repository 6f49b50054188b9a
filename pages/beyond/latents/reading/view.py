"""Draws the part "Reading a digit": the live picture, and below it how well digits are read."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.errors import Error
from tlmviz.figures.beyond.latents import confusion, muting
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import latents_view, payload
from .controls import Choice


def show() -> None:
    """The picture, then what to notice and all that is below."""
    choice = controls.choose()
    config = compute.reader(choice.model).config
    sizes = config.n_layers, config.n_heads, config.n_latents
    try:
        found, error = compute.reading(choice), ""
        maps, mixing, probabilities = found.head_maps, found.mixing, found.probabilities
        said = words.said(choice, found)
    except Error as problem:  # the pad stays as it is, so that drawing goes on
        error, said = str(problem), ""
        maps, mixing = np.zeros((*sizes, config.side**2)), np.zeros((*sizes, config.n_latents))
        probabilities = np.zeros(config.classes)
    data = payload(
        maps,
        mixing,
        pixels=choice.pixels,
        probabilities=[round(float(share), 4) for share in probabilities],
        truth=choice.truth,
        said=said,
        error=error,
        head=choice.head,
        pin=list(choice.pin) if choice.pin else None,
        muted=list(choice.muted),
        origin=choice.origin,
        seq=choice.sequence,
        picture=below.next_picture(),
    )
    latents_view(data, key=controls.KEY, on_change=controls.keep)
    below.when_painted("beneath-latents", lambda: _beneath(choice, bool(error)))


def _beneath(choice: Choice, broken: bool) -> None:
    frame.what_to_notice(*words.NOTICE, words.accuracy(compute.all_right()), maths=words.NOTICE_MATHS)
    quality = compute.held_out(choice.model)
    left, right = st.columns(2)
    with left:
        frame.chart(
            confusion(quality.confusion, frame.theme(), title=words.confusion_title(quality)),
            key="latconfusion",
            alt=words.LATCONFUSION_ALT,
        )
    with right:
        frame.chart(
            muting(compute.muted_one_by_one(choice.model), quality.right, frame.theme(), title=words.MUTING),
            key="latmuting",
            alt=words.LATMUTING_ALT,
        )
    if not broken:
        frame.badges(compute.checks(choice))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))
