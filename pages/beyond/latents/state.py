"""The state of the page Latents: which part of it is open."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

READING, COST, TWO_MLAS = PARTS = ("Reading digits", "Cost", "Two MLAs")


class Latents(state.State):
    """The open part."""

    part = state.parts(
        N_("Part"), {READING: N_("Reading digits"), COST: N_("Cost"), TWO_MLAS: N_("Two MLAs")}, key="latpart"
    )
