"""Draws the part Cost: areas that follow two sliders, and times measured on this machine."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.beyond.latents import times as figure_of
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from . import claims
from .data import AMONG, INPUTS, LATENTS, ROUNDS, Data
from .state import Cost

PICTURE = live.Picture(__file__, "cost", inputs=Cost.inputs, latents=Cost.latents)
EQUATION = (
    r"\text{self-attention: } N^2, \qquad \text{latents: } N M + M^2 \quad (M \ll N)",
    "LLM notes, sections 3.5 and 3.6; Jaegle et al. 2021: scores per head; each takes d_h multiplications, and d_h "
    "more for the weighted sum.",
)


def picture(data: Data) -> None:
    """The areas."""
    with st.container(key="latentcost"):
        PICTURE.show({"title": _("Scores of self-attention, and of latents that read and mix")}, {})


def times(data: Data) -> None:
    """Milliseconds of both ways: the fastest round, left out where the rounds of both ways overlap."""
    with st.spinner(_("Measuring both on this machine …"), show_time=True):
        found = data.times
    kept = {m: [data.apart(m, k) for k in range(len(INPUTS))] for m in LATENTS}
    kept[AMONG] = [any(kept[m][k] for m in LATENTS) for k in range(len(INPUTS))]
    lines = {m: [min(found[m][k]) if kept[m][k] else float("nan") for k in range(len(INPUTS))] for m in kept}
    title = _("One layer's attention, measured here, the fastest of {count} rounds (milliseconds)", count=ROUNDS)
    among = lines.pop(AMONG)
    figure = figure_of(INPUTS, among, lines, frame.theme(), title=title)
    alt = _("Measured milliseconds of self-attention and of latent reading, by the number of inputs")
    frame.chart(figure, key="lattimes", alt=alt)
    said = claims.measured(data) + " " + _("Where the rounds of both ways overlap nothing is drawn.")
    frame.timed(said, Data.times.clear)


def snippet(data: Data) -> str:
    """Scores and times with the public API."""
    return """\
from tlmviz.analysis.beyond.latent_cost import latent_scores, self_scores, time_both

print(self_scores(1024), latent_scores(1024, 64))  # scores per head
print(time_both(1024, 64))  # milliseconds, 4 heads of 16 dimensions
"""
