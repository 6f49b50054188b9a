"""The state of the part Whole model: which matrices of a model are rounded, and which of a product's two sides."""

from __future__ import annotations

from tlmviz.analysis.numbers.rounded_model import ACTIVATIONS, BOTH, PARTS, WEIGHTS
from tlmviz.ui import state
from tlmviz.ui.language import N_

from ..state import Rounding

MOST_LAYERS = 200
ROUNDED = {BOTH: N_("Weights and activations"), WEIGHTS: N_("Weights alone"), ACTIVATIONS: N_("Activations alone")}


class Whole(state.State):
    """Which matrices are rounded, by what they are for and by layer, and which of a product's sides."""

    model: str
    text: str
    rounding: Rounding
    sides = state.menu(N_("Round"), ROUNDED, key="scsides", spelled=ROUNDED, label_visibility="collapsed")
    parts = state.several(N_("Matrices"), PARTS, key="scparts", default=PARTS, wrap=True)
    layers = state.several(
        N_("Layers"), range(MOST_LAYERS), key="sclayers", default=tuple(range(MOST_LAYERS)), wrap=True
    )
