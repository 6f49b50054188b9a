"""Experts: which feed-forward networks each token reaches, by whose scores, and what becomes of it without them."""

import streamlit as st

from pages.experts.experts import controls, examples, words
from pages.experts.experts.capacity import view as capacity
from pages.experts.experts.cost import view as cost
from pages.experts.experts.load import view as load
from pages.experts.experts.muting import view as muting
from pages.experts.experts.routing import view as routing
from pages.experts.experts.training import view as training
from tlmviz.ui import frame

VIEWS = {
    "Routing": routing.show,
    "Load": load.show,
    "Mute & force": muting.show,
    "Capacity": capacity.show,
    "Training": training.show,
    "Cost": cost.show,
}


@frame.fragment
def show(model: str) -> None:
    """The text, and the chosen view of what the routers do with it."""
    reading = controls.choose(model)
    if reading is None:
        return
    VIEWS[controls.choose_view(list(VIEWS))](reading)


frame.heading("Experts", words.CLAIM, examples.examples)
show(st.session_state["emodel"])
