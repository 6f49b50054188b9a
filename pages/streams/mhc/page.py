"""mHC: residual streams that mix by doubly stochastic matrices, in models that were trained with them."""

from dataclasses import replace

import streamlit as st

from pages import IN
from pages.streams.mhc import guess
from pages.streams.mhc.data import Data
from pages.streams.mhc.depth import view as depth
from pages.streams.mhc.dial import view as dial
from pages.streams.mhc.examples import examples
from pages.streams.mhc.flow import view as flow
from pages.streams.mhc.matrices import view as matrices
from pages.streams.mhc.state import DEPTH, DIAL, FLOW, MATRICES, STREAMS, TRAINING, Streams
from pages.streams.mhc.streams import view as streams
from pages.streams.mhc.training import view as training
from tlmviz.ui import compute, frame, inputs

VIEWS = {
    FLOW: flow.show,
    MATRICES: matrices.show,
    DIAL: dial.show,
    DEPTH: depth.show,
    STREAMS: streams.show,
    TRAINING: training.show,
}


@frame.fragment
def show(model: str) -> None:
    """The text, and the chosen view of what the model does with it."""
    with frame.picture_first():
        text = inputs.text_box(compute.model(model))
        if text is None:
            return
        view = Streams.view.draw()
        chosen = Streams.of_session(model=model, text=text)
        if view != FLOW or guess.seen(Data(chosen)):
            VIEWS[view](replace(chosen, view=view))


frame.heading(IN["streams/mhc"], examples, Streams)
show(st.session_state["smodel"])
