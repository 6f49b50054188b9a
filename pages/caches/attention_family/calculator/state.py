"""The state of the part Calculator: a model's shape, and what is to be served."""

from __future__ import annotations

from tlmviz.analysis.caches import cost
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

FORMATS = tuple(cost.BITS)
LARGE = "LLaMA 2 70B"


class Deployment(state.State):
    """`batch` requests of `length` tokens, number formats, GB of `memory`, and positions in a page, 0 for none."""

    shape = state.menu(N_("Model"), key="kshape", default=LARGE, parse=link.up_to(100))
    batch = state.number(N_("Requests"), 0, 10**6, 1, key="kbatch")
    length = state.number(N_("Tokens each"), 0, 10**8, 4096, step=1024, key="kctx")
    cache_format = state.menu(N_("Cache in"), FORMATS, key="kfmt", default=FORMATS[1])
    weight_format = state.menu(N_("Weights in"), FORMATS, key="kwfmt", default=FORMATS[1])
    memory = state.number(
        N_("Memory, GB"), 0, 10**6, 640, step=80, key="kmem", help=N_("Of all devices; 10⁹ bytes each")
    )
    page = state.number(
        N_("Page"),
        0,
        4096,
        0,
        step=16,
        key="kpage",
        help=N_(
            "Positions in a page, 0 for none. Requests take whole pages, which also keep what lies after a window."
        ),
    )
