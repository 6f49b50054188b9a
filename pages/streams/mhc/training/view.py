"""Draws the view Training of the page mHC: the curves of a family, and its matrices at moments of the training."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.streams import mixing
from tlmviz.analysis.streams.training import CURVES
from tlmviz.figures.streams import training as figures
from tlmviz.ui import frame
from tlmviz.ui.language import _

from .data import Data

EQUATION = (
    r"\min_\theta\; -\tfrac{1}{T} \sum_t \log p_\theta(x_{t+1} \mid x_{\le t}) \qquad "
    r"H^{res} \in \{ M \ge 0,\; M\mathbf{1} = \mathbf{1},\; \mathbf{1}^\top M = \mathbf{1}^\top \} \text{ in mHC}",
    "Transformer with PyTorch, section 5.2. The models of a family had the same data, schedule and seed. "
    "Gains and matrices were measured on the same held-out text at every moment, averaged over its tokens. "
    "Your own text does not enter this view.",
)


def logged(data: Data) -> bool:
    """Whether there are curves; a sentence about each model that has none."""
    curves, _moments, errors = data.read
    for error in errors:
        st.warning(frame.worded(error))
    return bool(curves)


def picture(data: Data) -> None:
    """Curves of the whole family, and its matrices at the moment of the slider."""
    curves, moments, _errors = data.read
    figure = figures.training(
        {
            kind: figures.Curves(log["step"].to_numpy(), {column: log[column].to_numpy() for column in CURVES})
            for kind, log in curves.items()
        },
        {kind: figures.Matrices(each.steps, each.res) for kind, each in moments.items()},
        mixing.sublayers(max((each.res.shape[1] for each in moments.values()), default=0) // 2),
        frame.theme(),
        title=_("Training, step by step"),
    )
    with frame.wide("srwide", 800):
        alt = _("Loss, held-out bits per byte, gradient norm and gains over steps, and H_res at a moment")
        frame.chart(figure, key="srcurves", alt=alt)


def snippet(data: Data) -> str:
    """Python that prints the final numbers of a model's family."""
    return f"""\
from tlmviz.analysis.streams import depth as stream_depth, training as stream_training

for connection, name in stream_depth.relatives({data.chosen.model!r}).items():
    curves = stream_training.curves(name)
    print(connection, name, curves["valid_bpb"].dropna().iloc[-1], curves["grad_norm_max"].max())
    if connection != "residual":
        moments = stream_training.moments(name)
        print(moments.steps, moments.res.shape)  # [moments, sublayers, streams, streams]
"""
