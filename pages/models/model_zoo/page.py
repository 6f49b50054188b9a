"""Model zoo: one small model per choice of positions, attention and norm, all else equal, with the noise of seeds."""

import streamlit as st

from pages.models.model_zoo import compute as zoo_state
from pages.models.model_zoo import view as zoo_parts
from tlmviz.errors import Error
from tlmviz.ui import frame

# Charts with names of choices at their side need their width: a phone scrolls them sideways.
_WIDE = """<style>
.st-key-zoowide, .st-key-zoocostswide { overflow-x: auto; }
.st-key-zoowide > div { min-width: 540px; }
.st-key-zoocostswide > div { min-width: 860px; }
</style>"""
SNIPPET = """import pandas as pd

table = pd.read_csv("models/zoo.csv")
seeds = table[table.group.isin(["baseline", "seed"])].bits_per_byte
table["difference"] = table.bits_per_byte - seeds.mean()
table["noise"] = table.difference.abs() <= table.seed_spread
print(table.sort_values("bits_per_byte")[["choice", "bits_per_byte", "difference", "noise"]])
"""

st.html(_WIDE)
frame.heading(
    "Model zoo",
    "One small model per choice, all else equal: what each choice costs, and what is only chance.",
)
try:
    table = zoo_state.table()
    noise = zoo_state.noise(table)
    table = zoo_state.judged(table, noise)
    with st.container(key="zoowide"):
        zoo_parts.quality(table, noise)
    with st.container(key="zoocostswide"):
        zoo_parts.costs(table)
    zoo_parts.words(table, noise)
    zoo_parts.numbers(table)
    frame.copy_as_python(SNIPPET)
except Error as error:
    st.info(str(error))
try:
    zoo_parts.card()
except Error as error:
    st.info(str(error))
