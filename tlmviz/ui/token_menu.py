"""A menu of tokens whose number is in the link, whatever the tokens are called."""

from __future__ import annotations

import streamlit as st


def token_menu(place, label: str, tokens: list[str], verb: str, key: str, default: int) -> int:
    """The chosen position, from 0; in the link, as `key`, it counts from 1. Beyond the last token the last one is shown.

    A bound menu would put its entries into the link, and those change with the text.
    """
    if key not in st.session_state:
        asked = st.query_params.get(key, "")
        number = asked.isascii() and asked.isdigit() and len(asked) < 5
        st.session_state[key] = max(1, int(asked)) if number else default + 1
    wanted = st.session_state[key]
    chosen = min(wanted, len(tokens)) - 1
    if wanted != default + 1:
        st.query_params[key] = str(wanted)
    elif key in st.query_params:
        del st.query_params[key]
    st.session_state[f"_{key}"] = chosen
    place.selectbox(
        label,
        range(len(tokens)),
        key=f"_{key}",
        on_change=_keep,
        args=(key,),
        label_visibility="collapsed",
        format_func=lambda at: f"{at + 1}: {verb} “{tokens[at].strip()}”",
    )
    return chosen


def _keep(key: str) -> None:
    st.session_state[key] = st.session_state[f"_{key}"] + 1
