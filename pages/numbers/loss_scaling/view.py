"""Draws the page Loss scaling: gradients over a format's range, runs with a scaled loss, and weights kept in few bits."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers.half_runs import RUNS
from tlmviz.analysis.numbers.loss_scaling import LARGE
from tlmviz.figures.numbers import loss_scaling as figures
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import payload, scaling_view
from .controls import Choice


def gradients(choice: Choice) -> None:
    """Every gradient by size over the range of a format."""
    found = compute.counts(choice.model, choice.text, choice.kind)
    data = payload(
        found,
        format=choice.format,
        k=choice.k,
        part=choice.part if choice.part in found else "",
        what=words.what(choice),
        origin=f"{choice.origin} {choice.kind} {choice.model}",
        picture=below.next_picture(),
    )
    scaling_view(data, key=controls.KEY, on_change=controls.keep)


def beneath_gradients(choice: Choice) -> None:
    """Once the picture is painted, the same step really run in FP16."""
    below.when_painted("beneath-scaling", lambda: _real_passes(choice))


def _real_passes(choice: Choice) -> None:
    st.markdown(f"#### {words.REAL}")
    if choice.lm.n_parameters >= LARGE and not st.toggle(words.LONG, key="lspasses"):
        return
    every = compute.passes(choice.model, choice.text)
    k, error = (np.array([getattr(each, name) for each in every]) for name in ("k", "error"))
    figure = figures.errors(k, error, frame.theme(), title=words.errors_title(choice))
    frame.chart(figure, key="errors", alt=words.ERRORS_ALT)
    frame.caption(words.errors_caption(every))
    frame.measured(lambda: compute.measured(choice.model, choice.text))


def dynamic(choice: Choice) -> None:
    """The scale through two hundred logged steps of one run, and the losses of all."""
    log, spec = compute.runs(), RUNS[choice.run]
    mine = log[log["run"] == choice.run]
    scale, lost = mine["scale"].to_numpy(), mine["lost"].to_numpy()
    skipped = mine["kept"].to_numpy() == 1
    figure = figures.scale_of_run(
        scale, skipped, lost, frame.theme(), title=words.run_title(int(skipped.sum()))
    )
    frame.chart(figure, key="scale", alt=words.SCALE_ALT)
    frame.caption(words.run_caption(spec))
    found = {RUNS[key].name: log.loc[log["run"] == key, "loss"].to_numpy() for key in controls.SCALED}
    figure = figures.losses(found, frame.theme(), title=words.LOSSES, chosen=spec.name)
    frame.chart(figure, key="losses", alt=words.LOSSES_ALT)
    frame.table(words.run_rows(log, controls.SCALED), words.RUN_FORMATS, words.RUN_HELPS)
    frame.caption(words.LOGGED)


def master(choice: Choice) -> None:
    """A weight and an update of the user's, and two hundred logged steps."""
    left, right = st.columns(2)
    with left:
        paths = compute.added(choice.weight, choice.update, controls.STEPS)
        figure = figures.sums(paths, frame.theme(), title=words.sums_title(choice))
        frame.chart(figure, key="sums", alt=words.SUMS_ALT)
        frame.caption(words.sums_caption(paths))
    with right:
        log = compute.runs()
        found = {
            spec.name: log.loc[log["run"] == key, "loss"].to_numpy()
            for key, spec in RUNS.items()
            if spec.trained
        }
        figure = figures.losses(found, frame.theme(), title=words.KEPT)
        frame.chart(figure, key="kept", alt=words.KEPT_ALT)
        frame.caption(words.kept_caption(log))


@frame.fragment
def beneath_master(choice: Choice) -> None:
    """What a real step of AdamW leaves as it was in the loaded model."""
    st.markdown(f"#### {words.STEP}")
    shares = compute.unchanged(choice.model, choice.text)
    named = {words.NAMES[key]: share for key, share in shares.items()}
    figure = figures.unchanged(compute.RATES, named, frame.theme(), title=words.unchanged_title(choice))
    frame.chart(figure, key="unchanged", alt=words.UNCHANGED_ALT)
    frame.caption(words.unchanged_caption(compute.updates(choice.model, choice.text)))
    frame.measured(lambda: compute.measured(choice.model, choice.text))
