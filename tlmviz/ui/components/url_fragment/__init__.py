"""What an address says behind its #: a browser keeps that to itself, so that no server, log or other site gets to see
it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_url_fragment", Path(__file__).parent, html="<i hidden></i>")


def keep(name: str, value: str | None, take: Callable[[str], None]) -> None:
    """Have the address say `value` as `name`, nothing where it is empty. Where it is None, `take` gets what the address
    says."""
    key = f"fragment-{name}"

    def said() -> None:
        text = (st.session_state.get(key) or {}).get("said")
        if isinstance(text, str):
            take(text)

    _component(key=key, data={"name": name, "value": value}, on_said_change=said, height=1)
