"""What the part "Cost" measures, once per process."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.beyond.latent_cost import Timing, time_both
from tlmviz.ui import compute as shared

INPUTS, LATENTS = (64, 256, 1024, 4096), (8, 64)


@st.cache_data(show_spinner=False)
def timings() -> list[Timing]:
    """Milliseconds of both ways on this machine."""
    sizes = [(inputs, latents) for latents in LATENTS for inputs in INPUTS]
    return [shared.run_in_worker(lambda n=n, m=m: time_both(n, m)) for n, m in sizes]
