"""Matrices and indices: a block as formulas with named indices that run, and matrices as sums of columns times rows."""

import streamlit as st

from pages import IN
from pages.notation.einstein.examples import examples
from pages.notation.einstein.formulas import page as formulas
from pages.notation.einstein.formulas.state import Formula
from pages.notation.einstein.rank import page as rank
from pages.notation.einstein.rank.state import Rank
from pages.notation.einstein.state import FORMULAS, RANK, Part
from tlmviz.ui import frame

PARTS = {FORMULAS: formulas.show, RANK: rank.show}


@frame.fragment
def show(model: str) -> None:
    """The part's menu, and the chosen part."""
    part = Part.part.draw()
    Part.of_session()
    PARTS[part](model)


frame.heading(IN["notation/einstein"], examples, Part, Formula, Rank)
show(st.session_state["model"])
