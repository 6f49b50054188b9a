"""The state of the page Attention family: the part that is open, the text, and the head that all pages share."""

from __future__ import annotations

from tlmviz.ui import inputs, state
from tlmviz.ui.language import N_

MORPH, CALCULATOR, ZOO, MAPS, LATENT, REDUNDANCY, COLLAPSE = (
    "Morph",
    "Calculator",
    "Model zoo",
    "Trained maps",
    "Latent attention",
    "Redundancy",
    "Collapse lemma",
)
TRAIN = "`python -m tlmviz.training zoo --data DIR`"


class Heads(state.State):
    """A head of a model, and the text that it reads."""

    model: str
    text: str
    head: tuple[int, int]


class Family(state.State):
    """Which part is open, and the text that it reads."""

    model: str
    text: str
    prompt = inputs.TEXT
    view = state.parts(
        N_("View"),
        {
            MORPH: N_("Morph"),
            CALCULATOR: N_("Calculator"),
            ZOO: N_("Model zoo"),
            MAPS: N_("Trained maps"),
            LATENT: N_("Latent attention"),
            REDUNDANCY: N_("Redundancy"),
            COLLAPSE: N_("One matrix for all"),
        },
        key="fview",
    )
