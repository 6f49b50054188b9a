"""The state of the part Model zoo: whose card is open."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_


class Zoo(state.State):
    """A model by name; while nobody has chosen one, the card stays closed."""

    model: str
    card = state.menu(N_("Card"), key="card", parse=link.up_to(60), label_visibility="collapsed")
