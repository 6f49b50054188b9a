"""The state of the part Dropout: which activation, and what the picture of its masks holds."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

MOST_P, MOST_MASKS = 90, 1000  # per cent
LAST = ""  # in place of a tap: the last place where the model drops out


def _flag(text: str) -> bool:
    return {"1": True, "0": False}[link.choice(("0", "1"))(text)]


class Dropout(state.State):
    """An activation of the model on a text, the share that is dropped, and the masks."""

    model: str
    text: str
    place = state.menu(N_("Activation"), key="ndplace", default=LAST, parse=str, label_visibility="collapsed")
    p = state.live("ndrop", 10, link.whole(0, MOST_P), ends=(0, MOST_P))  # the bundled models learned with 10
    seed = state.live("ndseed", 0, link.whole(0, 999), ends=(0, 999))
    masks = state.live("ndmasks", 20, link.whole(1, MOST_MASKS), ends=(1, MOST_MASKS))
    raw = state.live("ndraw", False, _flag, lambda on: str(int(on)), ends=(True,))  # without 1/q
    evaluating = state.live("ndeval", False, _flag, lambda on: str(int(on)), ends=(True,))
