"""mHC: residual streams that mix by doubly stochastic matrices, in models that were trained with them."""

import streamlit as st

from pages.streams.mhc import compute as stream_state
from pages.streams.mhc.depth import view as stream_depth
from pages.streams.mhc.dial import view as stream_dial
from pages.streams.mhc.matrices import view as stream_matrices
from pages.streams.mhc.streams import view as stream_mixing
from pages.streams.mhc.training import view as stream_training
from tlmviz.errors import Error
from tlmviz.ui import compute, frame, inputs

SHOWN = {
    "Matrices": stream_matrices.show,
    "Sinkhorn dial": stream_dial.show,
    "Depth": stream_depth.show,
    "Streams": stream_mixing.show,
    "Training": stream_training.show,
}


@frame.fragment
def show(name: str) -> None:
    """The text and the chosen view of what the model does with it."""
    text = inputs.text_box(compute.model(name))
    if text is None:
        return
    view = st.segmented_control(
        "View",
        stream_state.VIEWS,
        default=stream_state.VIEWS[0],
        key="sview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    SHOWN[view](name, text)


frame.heading("mHC", "Several residual streams, and matrices that mix them without making anything louder.")
try:
    show(st.session_state["smodel"])
except Error as error:
    st.error(str(error))
