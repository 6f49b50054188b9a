"""The state of the page Attention family: the part that is open, the text, and the head that all pages share."""

from __future__ import annotations

from tlmviz.ui import inputs, state
from tlmviz.ui.language import N_

MORPH, MAPS, LATENT, REDUNDANCY, COLLAPSE, CALCULATOR, ZOO = VIEWS = (
    "Morph", "Trained maps", "Latent attention", "Redundancy", "Collapse lemma", "Calculator", "Model zoo",
)  # fmt: skip
TRAIN = "`python -m tlmviz.training zoo --data DIR`"


class Family(state.State):
    """Which part is open, and the text that it reads."""

    model: str
    text: str
    prompt = inputs.TEXT
    view = state.menu(
        N_("View"),
        {
            MORPH: N_("Morph"), MAPS: N_("Trained maps"), LATENT: N_("Latent attention"), REDUNDANCY: N_("Redundancy"),
            COLLAPSE: N_("One matrix for all"), CALCULATOR: N_("Calculator"), ZOO: N_("Model zoo"),
        },
        key="fview", segments=True, label_visibility="collapsed",
    )  # fmt: skip
