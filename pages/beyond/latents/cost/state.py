"""The state of the part Cost: the sizes that are compared, which the picture holds."""

from __future__ import annotations

from tlmviz.ui import link, state


class Cost(state.State):
    """N inputs and M latents."""

    inputs = state.live("latn", 1024, link.whole(1, 65536), ends=(1, 65536))
    latents = state.live("latk", 64, link.whole(1, 4096), ends=(1, 4096))
