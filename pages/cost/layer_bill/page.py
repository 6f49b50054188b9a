"""One layer's bill: what a Transformer layer costs in operations, bytes and milliseconds, and where a model's
parameters are."""

import streamlit as st

from pages import IN
from pages.cost.layer_bill import claims, data, view
from pages.cost.layer_bill.examples import examples
from pages.cost.layer_bill.state import DRAWN, Bill
from tlmviz.ui import below, frame


@frame.fragment
def show(model: str) -> None:
    """The controls, the part that is open, and what follows from it."""
    with frame.picture_first():
        if (chosen := view.controls(model)) is None:
            return
        shown = data.compute(chosen)
        frame.claim(claims.CLAIMS[chosen.part], shown)
        view.picture(shown)
    frame.next_step(claims.HINTS[chosen.part], shown)
    below.after(chosen.part in DRAWN, f"beneath-{chosen.part}", lambda: view.below_it(shown))


frame.heading(IN["cost/layer_bill"], examples, Bill)
show(st.session_state["model"])
