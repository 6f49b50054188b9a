"""Draws the part FP8: a tensor's largest numbers under the room of its scale, and the loss beside that of FP32."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.figures.numbers import loss_scaling as figures
from tlmviz.ui import frame
from tlmviz.ui.language import _

from .. import view as shared
from . import claims
from .data import Data
from .state import Float8

EQUATION = (
    r"S_X=\frac{448}{\max_{i\le W}\,\mathrm{amax}_{t-i}(X)},\qquad "
    r"Y=\frac{\mathrm{E4M3}(S_X X)\,\mathrm{E4M3}(S_W W)^\top}{S_X S_W},\qquad "
    r"dX=\frac{\mathrm{E5M2}(S_G G)\,W_8}{S_G S_W}",
    "LLM notes, section 6 (automated scaling on an H100 tracks running maxima); Micikevicius et al. 2022; "
    "DelayedScaling of NVIDIA's Transformer Engine.",
)


def controls(model: str) -> Float8 | None:
    """What the steps read, and where scales come from; None, with a sentence, without steps."""
    with frame.after_picture(name="float8"):
        left, middle, right = st.columns([0.42, 0.26, 0.32], vertical_alignment="bottom")
    there, text = shared.text(st.container(), model)
    if not there:
        return None
    Float8.scaling.draw(left)
    Float8.window.draw(middle)
    data = Data(Float8.of_session(model=model, text=text, tensor=Float8.tensor.get()))
    try:
        with st.spinner(_("Taking steps of training in 8 bits …"), show_time=True):
            tensors, _plain = data.tensors, data.plain
    except BadText as error:
        st.warning(frame.worded(error))
        return None
    chosen = Float8.tensor.draw(right, options=tensors, unchosen=data.tensor, format_func=_named)
    return Float8.of_session(model=model, text=text, tensor=chosen)


def _named(tensor: str) -> str:
    name, _dot, side = tensor.rpartition(".")
    return f"{name.removesuffix('.weight')} · {dict(x=_('inputs'), w=_('weights'), g=_('gradient'))[side]}"


def picture(data: Data) -> None:
    """The tensor's largest numbers and the room for them; the losses of both runs."""
    left, right, theme = *st.columns(2), frame.theme()
    tensor, kept = data.tensor, data.kept
    with left:
        title = _("{tensor} in {format}: its largest number", tensor=_named(tensor), format=claims.formats(tensor))
        figure = figures.room(kept.largest, kept.room, kept.cut, theme, title=title)
        frame.chart(
            figure, key="fproom", alt=_("The largest number of a tensor through the steps, under what its scale holds")
        )
    with right:
        title = _("{model}: the loss of each step", model=data.chosen.model)
        losses = {"FP32": data.plain.losses, "FP8": data.run.losses}
        figure = figures.losses(losses, theme, title=title, smooth=1)
        frame.chart(figure, key="fploss", alt=_("Losses of training in 8 bits and in FP32"))


def snippet(data: Data) -> str:
    """The steps with the public API."""
    chosen = data.chosen
    return f"""\
import tlmviz
from tlmviz.analysis.numbers import float8

lm = tlmviz.load({chosen.model!r})
rows = float8.batches(lm, {chosen.text!r})
run = float8.train(lm, rows, float8.Scales({chosen.scaling!r}, window={chosen.window}))
print(run.cosine, run.losses, float8.train(lm, rows, None).losses)
kept = run.tensors[{data.tensor!r}]
print(kept.largest, kept.room, kept.cut, kept.vanished)
"""
