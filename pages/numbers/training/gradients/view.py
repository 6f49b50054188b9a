"""Draws the part Gradients: every gradient by size over the range of a format, and the step really run in FP16."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers.loss_scaling import EDGES, FORMATS, LARGE, MOST_LOST, SCALES, WEIGHTS, limits
from tlmviz.figures.numbers import loss_scaling as figures
from tlmviz.ui import claims as claiming
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from .. import view as shared
from . import claims
from .data import Data
from .state import Gradients

PICTURE = live.Picture(__file__, "loss-scaling", format=Gradients.format, k=Gradients.k, part=Gradients.part)
EQUATION = (
    r"L_{\text{scaled}}=S\cdot L\ \Rightarrow\ \nabla L_{\text{scaled}}=S\,\nabla L,\qquad "
    r"w\leftarrow w-\eta\,\frac1S\,\mathrm{fp32}\big(\nabla L_{\text{scaled}}\big)",
    "LLM notes, section 6; Micikevicius et al. 2018, section 3.2.",
    "The note's sentence that bfloat16 avoids “the over/underflow problem in BF16” means FP16's. Its range for FP16, "
    "6.1·10⁻⁵ to 6.6·10⁴, is of normal numbers: subnormal ones go down to 6.0·10⁻⁸.",
)


def controls(model: str) -> Gradients | None:
    """Draw the controls; what they say. None, with a sentence, where there is no text."""
    with frame.split_on_phones():
        kind, batch = st.container(width="content"), st.container(width="content")
        Gradients.kind.draw(kind)
        there, text = shared.text(batch, model)
    return Gradients.of_session(model=model, text=text) if there else None


def picture(data: Data) -> None:
    """Every gradient by size over the range of a format, and a cell for every tensor."""
    formats = [{"key": each.key, "name": each.name, "limits": limits(each)} for each in FORMATS]
    header = {
        "title": claims.title(data),
        "formats": formats,
        "scales": [SCALES[0], SCALES[-1]],
        "most_lost": MOST_LOST,
        "columns": len(EDGES) + 1,
        **data.grid,
    }
    PICTURE.show(header, data.halves)


def wait(data: Data) -> None:
    """Says that a step runs, where the picture will stand, while it does."""
    with st.spinner(_("Running a step …"), show_time=True):
        data.counts  # noqa: B018


def in_half(data: Data) -> None:
    """The same step really run in FP16."""
    st.markdown("#### " + _("The same step, really run in FP16"))
    long = _("Run it at twelve scales: a minute or two for a model of this size")
    if data.lm.n_parameters >= LARGE and not st.toggle(long, key="lspasses"):
        return
    with st.spinner(_("Running the step in FP16, with one scale after another …"), show_time=True):
        every = data.passes
    k, error = (np.array([getattr(each, name) for each in every]) for name in ("k", "error"))
    title = _("{model}: error of the gradient in FP16", model=data.chosen.model)
    figure = figures.errors(k, error, frame.theme(), title=title)
    frame.chart(figure, key="errors", alt=_("Error of the gradient in FP16 against the scale of the loss"))
    st.markdown(claiming.first(claims.PASSES, data))
    frame.caption(claims.how_run())
    frame.measured(lambda: data.checks)


def snippet(data: Data) -> str:
    """The shares with the public API."""
    chosen, kind = data.chosen, "WEIGHTS" if data.chosen.kind == WEIGHTS else "ACTIVATIONS"
    return f"""\
import tlmviz
from tlmviz.analysis.numbers import loss_scaling
from tlmviz.analysis.numbers.formats import find

lm = tlmviz.load({chosen.model!r})
ids = loss_scaling.batch(lm, {chosen.text!r})
found = loss_scaling.gradients(lm, ids, loss_scaling.{kind})
counts = loss_scaling.together([loss_scaling.count(each) for each in found.values()])
shares = loss_scaling.scaled(counts, find({chosen.format!r}), {chosen.k})  # S = 2 ** {chosen.k}
print(shares, loss_scaling.safe_scales(counts, find({chosen.format!r})))
"""
