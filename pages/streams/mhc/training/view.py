"""The view "Training" of the page mHC."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.streams.mhc import compute as stream_state
from pages.streams.mhc.words import absent, wide
from tlmviz.analysis.streams import mixing as streams
from tlmviz.analysis.streams import training as analysis
from tlmviz.errors import BadCheckpoint
from tlmviz.figures.streams import training as figures
from tlmviz.ui import frame

POINTS = (
    "All start as the same network, every H_res the identity or close to it. Walk the slider and see what each makes of it.",
    "The last panel multiplies H_res of all sublayers: what a signal can gain on its way forward (solid), a gradient on its way "
    "back (dotted). mHC is bound to 1 in both, up to what Sinkhorn's iterations leave; HC is free.",
    "The gradient norm is taken before clipping: its largest value of the steps since the last mark (dotted) shows single "
    "outbursts that a mean (solid) hides.",
)
EQUATION = (
    r"\min_\theta\; -\tfrac{1}{T} \sum_t \log p_\theta(x_{t+1} \mid x_{\le t}) \qquad "
    r"H^{res} \in \{ M \ge 0,\; M\mathbf{1} = \mathbf{1},\; \mathbf{1}^\top M = \mathbf{1}^\top \} \text{ in mHC}"
)
SOURCE = (
    "Transformer with PyTorch, section 5.2. The models of a family had the same data, schedule and seed. "
    "Gains and matrices were measured on the same held-out text at every moment, averaged over its tokens. "
    "Your own text does not enter this view."
)
SNIPPET = """\
from tlmviz.analysis.streams import depth as stream_depth, training as stream_training

for connection, name in stream_depth.relatives({name!r}).items():
    curves = stream_training.curves(name)
    print(connection, name, curves["valid_bpb"].dropna().iloc[-1], curves["grad_norm_max"].max())
    if connection != "residual":
        moments = stream_training.moments(name)
        print(moments.steps, moments.res.shape)  # [moments, sublayers, streams, streams]
"""


@st.cache_data(max_entries=16, show_spinner=False)
def curves(name: str) -> pd.DataFrame:
    """A model's logged curves."""
    return analysis.curves(name)


@st.cache_resource(max_entries=16, show_spinner=False)
def moments(name: str) -> analysis.Moments:
    """A model's matrices at moments of its training."""
    return analysis.moments(name)


def show(name: str, text: str) -> None:
    """Curves of the whole family, and its matrices at the moment of the slider."""
    members, lines, matrices = stream_state.family(name), {}, {}
    for kind, member in members.items():
        try:
            logged = curves(member)
            lines[kind] = figures.Curves(
                logged["step"].to_numpy(), {column: logged[column].to_numpy() for column in analysis.CURVES}
            )
            if kind != "residual":
                found = moments(member)
                matrices[kind] = figures.Matrices(found.steps, found.res)
        except BadCheckpoint as error:
            st.warning(str(error))
    if not lines:
        return
    sublayers = max((each.res.shape[1] for each in matrices.values()), default=0)
    figure = figures.training(
        lines, matrices, streams.sublayers(sublayers // 2), frame.theme(), title="Training, step by step"
    )
    with wide("srwide"):
        frame.chart(
            figure,
            key="srcurves",
            alt="Loss, held-out bits per byte, gradient norm and gains over steps, and H_res at a moment",
        )
    absent(members)
    frame.what_to_notice(*POINTS)
    frame.equation(EQUATION, SOURCE)
    frame.copy_as_python(SNIPPET.format(name=name))
