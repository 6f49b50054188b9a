"""The state of the part Models: the models to compare, and the length of their caches."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

# A buffer that is filled at once holds at least 64 positions, so that from there on it is exactly full.
LENGTHS = 64, 96, 128, 192, 256, 384, 512, 768, 1024


def _names(text: str) -> tuple[str, ...]:
    return tuple(link.up_to(100)(name) for name in text.split(",")[:40])


class Compared(state.State):
    """Models by name; None: those that differ in their attention alone."""

    text: str
    models = state.live("kmods", None, _names, lambda names: ",".join(names or ()), ends=(("zoo-mqa",),))
    length = state.menu(
        N_("Tokens in the cache"), LENGTHS, key="klen", default=256, widget="select_slider", show="{:,}".format
    )
