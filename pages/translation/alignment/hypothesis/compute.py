"""The identities of the view "Translation", measured on the sentence."""

from __future__ import annotations

import streamlit as st

from tlmviz.checks import Check, run, translation
from tlmviz.ui import compute
from tlmviz.ui.translation import model as load

QUICK = (
    translation.rows_sum_to_one,
    translation.score_is_read_again,
    translation.rows_may_move,
    translation.penalties_by_hand,
    translation.overlap_by_distance,
)


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(model: str, text: str) -> list[Check]:
    """The identities behind this page that need no further search."""
    return compute.run_in_worker(lambda: run(QUICK, load(model), text), compute.about(text))
