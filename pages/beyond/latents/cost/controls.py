"""The sizes that the part "Cost" compares: they are set in the picture and kept in the link."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tlmviz.ui import link

KEY = "latentcost"
INPUTS = link.Field("latn", 1024, link.whole(1, 65536))
LATENTS = link.Field("latk", 64, link.whole(1, 4096))
_SENT = f"{link.SLOT}latent_sizes"  # session: the sizes that the picture sent last


def choose() -> tuple[int, int, str]:
    """N, M, and the name of what the picture begins with: another one where the link, and not the picture, has changed them."""
    INPUTS.share()
    LATENTS.share()
    sizes = INPUTS.get(), LATENTS.get()
    begun = f"{_SENT}_begun"
    if st.session_state.get(_SENT) != sizes:
        st.session_state[begun] = f"{sizes[0]} {sizes[1]}"
        st.session_state[_SENT] = sizes
    return *sizes, st.session_state[begun]


def keep() -> None:
    """Callback of the picture: a slider has come to rest."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("sizes")
    if not message:
        return
    INPUTS.keep(min(max(int(message["inputs"]), 1), 65536))
    LATENTS.keep(min(max(int(message["latents"]), 1), 4096))
    st.session_state[_SENT] = INPUTS.get(), LATENTS.get()
