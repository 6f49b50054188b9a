"""KV cache: generation token by token, what is kept and what is not, and what that costs in bytes and time."""

import streamlit as st

from pages import IN
from pages.caches.kv_cache import claims, guess, view
from pages.caches.kv_cache.cost import page as cost
from pages.caches.kv_cache.data import Data
from pages.caches.kv_cache.examples import examples
from pages.caches.kv_cache.models import page as models
from pages.caches.kv_cache.models.state import Compared
from pages.caches.kv_cache.state import COST, SIDE_BY_SIDE, STEPS, Cache
from tlmviz.ui import below, frame
from tlmviz.ui.language import _


def steps(shown: Data) -> None:
    """The map, the cached rows and the bytes of a generation."""
    if not guess.seen(shown):
        return
    with st.spinner(_("{model} writes …", model=shown.chosen.model), show_time=True):
        frame.claim(claims.CLAIMS, shown)
    view.steps(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-cache", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    st.caption(claims.generated(shown))
    frame.claims(claims.CLAIMS, shown, more=claims.notice())
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


PARTS = {STEPS: steps, COST: cost.show, SIDE_BY_SIDE: models.show}


@frame.fragment
def show(model: str) -> None:
    """The controls and the chosen part."""
    chosen = view.controls(model)
    if chosen is not None:
        PARTS[chosen.view](Data(chosen))


frame.heading(IN["caches/kv_cache"], examples, Cache, Compared)
show(st.session_state["model"])
