"""Draws the view "Training" of the page mHC: the curves of a family, and its matrices at moments of the training."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from pages.streams.mhc.view import note_missing
from tlmviz.analysis.streams import mixing
from tlmviz.analysis.streams.training import CURVES
from tlmviz.errors import BadCheckpoint
from tlmviz.figures.streams import training as figures
from tlmviz.ui import frame

from . import compute, words


def show(reading: Reading) -> None:
    """Curves of the whole family, and its matrices at the moment of the slider."""
    family = page.family(reading.model)
    curves, matrices = _logs(family)
    if not curves:
        return
    sublayers = max((moments.res.shape[1] for moments in matrices.values()), default=0)
    figure = figures.training(
        curves, matrices, mixing.sublayers(sublayers // 2), frame.theme(), title=words.TRAINING_STEP_TITLE
    )
    with frame.wide("srwide", 800):
        frame.chart(
            figure,
            key="srcurves",
            alt=words.SRCURVES_ALT,
        )
    note_missing(family)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(reading.model))


def _logs(family: dict[str, str]) -> tuple[dict[str, figures.Curves], dict[str, figures.Matrices]]:
    """By connection, the curves and the matrices of the models that have them; a sentence about each that has not."""
    curves, matrices = {}, {}
    for kind, model in family.items():
        try:
            log = compute.curves(model)
            curves[kind] = figures.Curves(
                log["step"].to_numpy(), {column: log[column].to_numpy() for column in CURVES}
            )
            if kind != "residual":
                moments = compute.moments(model)
                matrices[kind] = figures.Matrices(moments.steps, moments.res)
        except BadCheckpoint as error:
            st.warning(str(error))
    return curves, matrices
