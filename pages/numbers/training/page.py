"""Training: what goes wrong while a model learns in few bits and with steps too long, and what helps."""

import streamlit as st

from pages import IN
from pages.numbers.training.dropout import page as dropout
from pages.numbers.training.dropout.state import Dropout
from pages.numbers.training.dynamic import page as dynamic
from pages.numbers.training.dynamic.state import Dynamic
from pages.numbers.training.examples import examples
from pages.numbers.training.float8 import page as float8
from pages.numbers.training.float8.state import Float8
from pages.numbers.training.gradients import page as gradients
from pages.numbers.training.gradients.state import Gradients
from pages.numbers.training.master import page as master
from pages.numbers.training.master.state import Master
from pages.numbers.training.state import DROPOUT, DYNAMIC, FLOAT8, GRADIENTS, MASTER, WARMUP, Part, Reading
from pages.numbers.training.warmup import page as warmup
from pages.numbers.training.warmup.state import Warmup
from tlmviz.ui import frame

PARTS = {
    GRADIENTS: gradients.show,
    DYNAMIC: dynamic.show,
    FLOAT8: float8.show,
    MASTER: master.show,
    WARMUP: warmup.show,
    DROPOUT: dropout.show,
}


@frame.fragment
def show(model: str) -> None:
    """The part's menu, and the chosen part."""
    part = Part.part.draw()
    Part.of_session()
    PARTS[part](model)


frame.heading(IN["numbers/training"], examples, Part, Reading, Gradients, Dynamic, Float8, Master, Warmup, Dropout)
show(st.session_state["model"])
