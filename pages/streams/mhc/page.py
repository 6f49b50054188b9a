"""mHC: residual streams that mix by doubly stochastic matrices, in models that were trained with them."""

import streamlit as st

from pages.streams.mhc import controls, examples, words
from pages.streams.mhc.depth import view as depth
from pages.streams.mhc.dial import view as dial
from pages.streams.mhc.flow import view as flow
from pages.streams.mhc.matrices import view as matrices
from pages.streams.mhc.streams import view as streams
from pages.streams.mhc.training import view as training
from tlmviz.ui import frame

VIEWS = {
    "Flow": flow.show,
    "Matrices": matrices.show,
    "Sinkhorn dial": dial.show,
    "Depth": depth.show,
    "Streams": streams.show,
    "Training": training.show,
}


@frame.fragment
def show(model: str) -> None:
    """The text, and the chosen view of what the model does with it."""
    reading = controls.choose(model)
    if reading is None:
        return
    VIEWS[controls.choose_view(list(VIEWS))](reading)


frame.heading("mHC", words.CLAIM, examples.examples)
show(st.session_state["smodel"])
