"""Draws the view "Sinkhorn dial" of the page mHC: a matrix made doubly stochastic, half step by half step."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from pages.streams.mhc.view import offer
from tlmviz.ui import compute as shared
from tlmviz.ui import frame

from . import component, compute, controls, words
from .controls import Choice


def show(reading: Reading) -> None:
    """The dial of a model's logits, or of a matrix that is typed."""
    has_logits = compute.logits(reading) is not None
    if not has_logits:
        _without_logits(reading)
    choice = controls.choose(reading, has_logits)
    if choice.matrix is None:
        _model(choice)
    else:
        _typed(choice)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))
    controls.share(choice)


def _model(choice: Choice) -> None:
    reading = choice.reading
    data = component.of_model(
        compute.logits(reading).numpy(), reading.tokens, reading.sublayers, reading.connection.iterations
    )
    _dial(choice, data, name=reading.model, origin=f"{reading.model}:{len(reading.tokens)}")
    frame.what_to_notice(
        *words.NOTICE,
        words.notice_model(reading.connection.iterations, compute.left(reading)),
        maths=(*words.NOTICE_MATHS, words.NOTICE_MODEL_MATHS),
    )
    frame.badges(page.checks(reading))


def _typed(choice: Choice) -> None:
    matrix, kind = compute.judged(choice.matrix), choice.matrix.kind
    verdict = words.verdict(matrix.support, len(matrix.logits))
    data = component.of_matrix(choice.typed, matrix.words, matrix.logits, kind, matrix.support, verdict)
    _dial(choice, data, name="Own matrix", origin="own")
    frame.what_to_notice(*words.NOTICE, words.NOTICE_SUPPORT, maths=words.NOTICE_MATHS)
    frame.badges(compute.checks(matrix))


def _dial(choice: Choice, data: dict, *, name: str, origin: str) -> None:
    component.dial(
        data,
        own=choice.matrix is not None,
        name=name,
        origin=origin,
        key=controls.KEY,
        place=choice.state(),
        on_place=controls.keep_place,
        on_edited=controls.keep_edited,
        on_taken=controls.keep_taken,
    )


def _without_logits(reading: Reading) -> None:
    """Why there is nothing to scale, and a way to a model with logits."""
    left, right = st.columns([0.76, 0.24], vertical_alignment="center")
    left.info(words.without_logits(reading.model, reading.connection.kind))
    if shared.DEFAULT_STREAM_MODEL in shared.stream_models():
        offer(right, shared.DEFAULT_STREAM_MODEL, key="sd-model")
