"""The controls of the page Model zoo: whose card is open."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.ui import compute as shared

from . import compute

CARD = "card"


@dataclass(frozen=True)
class Choice:
    """The model whose card is open."""

    card: str


def choose() -> Choice:
    """A menu of cards, and a link that opens the chosen model in the explorer with this session's text."""
    names, linked = list(shared.models()), st.query_params.get(CARD)
    unknown = linked is not None and linked not in names
    menu, button = st.columns([0.72, 0.28], vertical_alignment="center")
    loaded, compared = st.session_state["model"], compute.by_quality()
    opening = loaded if loaded in compared or not compared else compared[0]
    name = menu.selectbox(
        "Card", names, index=names.index(opening), key=CARD, bind="query-params", label_visibility="collapsed"
    )
    address = compute.link(name, st.session_state.get("text") or "")
    button.link_button(
        f"Open {name} in the explorer",
        address,
        icon=":material/grid_view:",
        width="stretch",
        help="In a new tab",
    )
    if unknown:
        st.warning(f"There is no model “{linked[:60]}”; the card of {name} is shown instead.")
    return Choice(name)
