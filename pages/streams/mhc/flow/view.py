"""Draws the view "Flow" of the page mHC: streams through all sublayers, and the model run with other iterations."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc import compute as page
from pages.streams.mhc import guess
from pages.streams.mhc.controls import Reading
from pages.streams.mhc.view import note_missing
from tlmviz.figures.streams import iterations as figures
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import flow_view
from .controls import Choice


def show(reading: Reading) -> None:
    """What a stream is, the picture, and the constrained model of the family with other Sinkhorn iterations."""
    if not guess.seen(reading):
        return
    family = page.family(reading.model)
    choice, constrained = controls.choose(reading), family.get("manifold")
    frame.caption(words.STREAM, maths=words.STREAM_MATHS)
    picture = st.container()
    if constrained is not None:
        choice = controls.choose_iterations(choice, reading.by(constrained).connection.iterations)
    with picture:
        flow_view(compute.sent(choice), key=controls.KEY, on_change=controls.keep_choice)
        if len(choice.window) < len(reading.tokens):
            st.caption(words.window(choice))
    below.when_painted("beneath-flow", lambda: _beneath(choice, constrained))


def _beneath(choice: Choice, constrained: str | None) -> None:
    """What the iterations change, what to notice, the equation, the code, and the badges."""
    if constrained is not None:
        _iterations(choice.reading.by(constrained), choice.iterations)
    frame.what_to_notice(*words.notice(choice, compute.members(choice)))
    note_missing(page.family(choice.reading.model))
    badges = st.container()
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, constrained))
    with badges:  # last: they take the longest to measure
        frame.badges(page.checks(choice.reading))


def _iterations(reading: Reading, iterations: int) -> None:
    """Loss, gain and text of the model with the chosen iterations, and both curves."""
    trained, theme = reading.connection.iterations, frame.theme()
    usual, chosen = compute.rerun(reading, trained), compute.rerun(reading, iterations)
    st.markdown(
        words.changed(
            reading.model, iterations, trained, (usual.loss, chosen.loss), (usual.forward, chosen.forward)
        )
    )
    _texts(reading, iterations, trained)
    counts = sorted({*compute.COUNTS, trained, iterations})
    runs = [compute.rerun(reading, count) for count in counts]
    for column, (title, unit, values) in zip(
        st.columns(2),
        (
            (words.LOSS_TITLE, "nats", [run.loss for run in runs]),
            (words.GAIN_TITLE, "factor", [run.forward for run in runs]),
        ),
    ):
        with column:
            figure = figures.curve(counts, values, iterations, theme, title=title, unit=unit)
            frame.chart(figure, key=f"sf{unit}", alt=words.iterations_alt(title, iterations))


def _texts(reading: Reading, iterations: int, trained: int) -> None:
    """What the model writes behind the text, as trained and with the chosen iterations."""
    before, after = compute.written(reading, trained), compute.written(reading, iterations)
    for column, count, text in zip(st.columns(2), (trained, iterations), (before, after)):
        with column:
            st.caption(f"Writes with {count} iterations{', as trained' if count == trained else ''}")
            st.text(text)
    if iterations != trained and before == after:
        st.caption(words.same_text(iterations))
