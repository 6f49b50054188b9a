"""Draws the part One row: the field for logits, and five algorithms on one row, walked side by side."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.kernels import flash_rows
from tlmviz.ui import frame, reading
from tlmviz.ui.language import _

from ..state import choose
from . import claims
from .data import Data
from .state import PRESETS, Row, preset, written

EQUATION = (
    r"m_i = \max(m_{i-1}, x_i),\quad l_i = l_{i-1}\,e^{m_{i-1}-m_i} + e^{x_i-m_i},\quad "
    r"o_i = o_{i-1}\,\frac{l_{i-1}}{l_i}\,e^{m_{i-1}-m_i} + \frac{e^{x_i-m_i}}{l_i}\,v_i",
    "Transformer with PyTorch, section 4, Eq. 72–87, which write d_i for l_i. All numbers here are "
    "float32, as in the kernel, and compared with float64 at the end.",
    "Eq. 86–87 print the factor on the old output as exp(m_i) / exp(m_{i−1}); it is the inverse, exp(m_{i−1} − m_i), "
    "as for d_i in Eq. 79.",
)


def controls(model: str) -> Row | None:
    """Text, head, token and the field for logits; its presets follow once the row is known."""
    if (asked := choose(model, token=True)) is None:
        return None
    at, room = asked
    Row.logits.draw(room)
    return Row.of_session(**at)


def presets(data: Data) -> None:
    """A button for the model's own logits, and for each preset one that writes it into the field."""
    if data.refused:
        said = _("The model's own logits are shown.")
        st.warning(f"{frame.worded(data.refused)} {said}")
    with st.container(horizontal=True, gap="small"):
        st.button(
            _("As in the model"), key="as-in-model", on_click=Row.logits.set, args=("",), disabled=not Row.logits.get()
        )
        with st.popover(_("Presets")):
            _preset(_("The model's, to edit"), "own", data.own.x)
            for label, help_ in PRESETS.items():
                _preset(label, label, preset(label, data.own.x), _(help_))


def _preset(label: str, name: str, x: np.ndarray, help_: str | None = None) -> None:
    st.button(label, key=f"preset-{name}", help=help_, on_click=Row.logits.set, args=(written(x),), width="stretch")


def picture(data: Data) -> None:
    """The five algorithms, and what else they may be given."""
    row(data)
    presets(data)


def results(data: Data) -> None:
    """How each ended."""
    st.markdown(claims.results(data, reading.maths()))


def row(data: Data) -> None:
    """The five algorithms, walked by a slider."""
    figure = flash_rows.row_walks(
        data.walks, data.x, data.tokens, frame.theme(), title=claims.title(data), symbols=reading.maths()
    )
    with frame.wide("wide", 880):
        frame.chart(
            figure,
            key="row",
            alt=_("Five algorithms on one row of logits, walked by a slider: maximum, sum and output"),
        )


def snippet(data: Data) -> str:
    """The picture of one row with the public API; `x` holds the logits of the picture."""
    values = ", ".join("-inf" if value == -np.inf else f"{value:.9g}" for value in data.x)
    at, first = data.chosen, data.own.first
    return f"""\
from numpy import array, float32, inf

import tlmviz
from tlmviz.analysis.kernels import online_softmax, tiling
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import flash_rows

trace = tlmviz.load({at.model!r}).trace({at.text!r})
keys = slice({first}, {first + len(data.x)})
v = tiling.head_inputs(trace, layer={at.layer}, head={at.head}, longest=None).v[keys]
# the logits of the picture; the model's own are trace.scores({at.layer}, {at.head}, "masked")[{at.query}, keys]
x = array([{values}], float32)
walks = online_softmax.walk_all(x, v)
for walk in walks:
    print(f"{{walk.name}}: l_i = {{walk.l_i[-1]:.6g}}, off by {{walk.error:.1e}}")
figure = flash_rows.row_walks(walks, x, trace.tokens[keys], LIGHT, title="L{at.layer}H{at.head}, query {at.query}")
figure.show()
"""
