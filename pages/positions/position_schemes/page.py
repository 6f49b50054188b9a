"""Position schemes: six ways to tell a model where its tokens stand, and how far beyond its training it then reads."""

import streamlit as st

from pages import IN
from pages.positions.position_schemes.examples import examples
from pages.positions.position_schemes.extension import page as extension
from pages.positions.position_schemes.extension.state import Extension
from pages.positions.position_schemes.schemes import page as schemes
from pages.positions.position_schemes.schemes.state import Schemes
from pages.positions.position_schemes.state import EXTENSION, Reading
from tlmviz.ui import frame, menu

frame.heading(IN["positions/position_schemes"], examples, Reading, Schemes, Extension)
row = st.container(horizontal=True, vertical_alignment="center", gap="small")
if Reading.part.draw(row) == EXTENSION:
    extension.show(menu.choose(row, "language", "position_schemes"))
else:  # it compares models of its own
    schemes.show()
