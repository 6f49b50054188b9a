"""The state of the part Exact search: how long the short search's texts are."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_


class Horizon(state.State):
    """Tokens of the short search."""

    tokens = state.slider(N_("Horizon T of the short search (tokens)"), 1, 6, 3, key="bhz")
