"""The state of the part Redundancy: how heads are compared, in which order they are muted, and what replaces their
outputs."""

from __future__ import annotations

from tlmviz.analysis.caches.similarity import SIMILARITIES
from tlmviz.ui import inputs, state
from tlmviz.ui.language import N_

SINGLE, GREEDY = "By single effect", "Greedy"
ORDERS = {SINGLE: "single", GREEDY: "greedy"}


class Ablation(state.State):
    """A measure of similarity, an order, and "zero" or "mean"."""

    model: str
    text: str
    similarity = state.menu(N_("Similarity"), tuple(SIMILARITIES), key="sim", label_visibility="collapsed")
    order = state.menu(
        N_("Order of pruning"),
        {SINGLE: N_("By single effect"), GREEDY: N_("Greedy")},
        key="prn",
        segments=True,
        label_visibility="collapsed",
        help=N_("Greedy tries all remaining heads at every step: better, and much slower"),
    )
    how = inputs.HOW
