"""Draws the part Master weights: a weight through many additions, logged losses, and what a real step leaves as it
was."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.numbers.half_runs import RUNS
from tlmviz.figures.numbers import loss_scaling as figures
from tlmviz.ui import frame, inputs
from tlmviz.ui.language import _

from .. import view as shared
from ..state import STORIES, Reading
from . import claims
from .data import RATES, Data
from .state import STEPS, Master

EQUATION = (
    r"w^{\text{FP32}}\leftarrow w^{\text{FP32}}-\eta u,\qquad w^{\text{BF16}}=\mathrm{round}(w^{\text{FP32}})"
    r"\qquad\text{against}\qquad w^{\text{BF16}}\leftarrow\mathrm{round}(w^{\text{BF16}}-\eta u)",
    "LLM notes, section 6, footnote 5 (master weights); Decoder-Only Transformers in Einstein Notation, section 7; "
    "Micikevicius et al. 2018, section 3.1; Gupta et al. 2015 for rounding by a die.",
)


def controls(model: str) -> Master:
    """The weight and the update; the text is read below."""
    for place, field in zip(st.columns(2), (Master.weight, Master.update)):
        field.draw(place)
    text = None if Reading.batch.get() == STORIES else inputs.TEXT.get()
    return Master.of_session(model=model, text=text)


def refused(data: Data) -> None:
    """What is no number: what to type, and what is shown in its place."""
    for text, value in data.refused.items():
        st.warning(claims.refused(text, value))


def picture(data: Data) -> None:
    """The weight and the update of the user's, and two hundred logged steps."""
    left, right = st.columns(2)
    with left:
        values = {"weight": claims.written(data.weight), "steps": STEPS, "update": claims.written(data.update, 2)}
        title = _("w = {weight}, {steps} updates of {update}", **values)
        figure = figures.sums(data.paths, frame.theme(), title=title)
        frame.chart(figure, key="sums", alt=_("A weight through many additions of one update"))
    with right:
        title = _("Logged: zoo-rope learns French, mean of 5 steps")
        losses = {RUNS[key].name: path for key, path in data.learned.items()}
        figure = figures.losses(losses, frame.theme(), title=title)
        frame.chart(figure, key="kept", alt=_("Losses with weights kept in FP32, BF16, FP16 and by a die"))
    ends = "; ".join(f"{name} {claims.written(path[-1])}" for name, path in data.paths.items())
    said = _("After {steps} steps: {ends}.", steps=STEPS, ends=ends)
    logged = _(
        "The logged steps have a rate of 3·10⁻⁵; all is in FP32 but the weights, which are rounded after each step."
    )
    frame.caption(f"{said} {logged}")


@frame.fragment
def real_step(data: Data) -> None:
    """What a real step of AdamW leaves as it was in the loaded model, on stories or on a text."""
    st.markdown("#### " + _("A real step of AdamW on the loaded model"))
    there, text = shared.text(st.container(), data.chosen.model)
    if not there:
        return
    data = Data(Master.of_session(model=data.chosen.model, text=text))
    with st.spinner(_("Taking four steps of AdamW …"), show_time=True):
        shares = {claims.NAMES[key]: share for key, share in data.unchanged.items()}
    title = _("{model}: weights a step leaves as they are", model=data.chosen.model)
    figure = figures.unchanged(RATES, shares, frame.theme(), title=title)
    alt = _("Share of weights that a step leaves as they are, against the rate")
    frame.chart(figure, key="unchanged", alt=alt)
    st.markdown(claims.real_step(data) or "")
    frame.caption(claims.how_measured(data))
    frame.measured(lambda: data.checks)


def snippet(data: Data) -> str:
    """The additions and the real step with the public API."""
    return f"""\
import torch
import tlmviz
from tlmviz.analysis.numbers import loss_scaling, master_weights

paths = master_weights.added({data.weight!r}, {data.update!r}, {STEPS})
print({{name: path[-1] for name, path in paths.items()}})

lm = tlmviz.load({data.chosen.model!r})
updates = master_weights.adamw_updates(lm, loss_scaling.batch(lm, {data.chosen.text!r}))
share = master_weights.unchanged(updates, torch.bfloat16, 3e-5)
print(share)
"""
