"""The sidebar: a menu of the models that a page can show, and what the chosen one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from tlmviz.language_model import LanguageModel
from tlmviz.trace_file import TraceFile
from tlmviz.translator import Translator

from . import compute, fetching, frame, inputs, translation, uploads


@dataclass(frozen=True)
class ModelMenu:
    """One menu of models: its key in the link, the default, the models (name -> description) and how one is loaded."""

    key: str
    default: str
    models: Callable[[], dict[str, str]]
    load: Callable[[str], LanguageModel | Translator | TraceFile]
    help: str


TRAINED = "Small models trained for this app"
ADDED = "and those that `tlmviz get` or `tlmviz run PATH` added"
MENUS = {
    "language": ModelMenu(
        "model", compute.DEFAULT_MODEL, compute.offered, compute.model, f"{TRAINED}, {ADDED}."
    ),
    "translation": ModelMenu(
        "mt",
        translation.DEFAULT_MODEL,
        translation.models,
        translation.model,
        f"{TRAINED}, English to French.",
    ),
    "streams": ModelMenu(
        "smodel",
        compute.DEFAULT_STREAM_MODEL,
        compute.stream_models,
        compute.model,
        f"{TRAINED}; they differ in their connections.",
    ),
}

# What follows the user from page to page, but is drawn by the pages: each widget's key in the link, and its default.
SHARED = {
    "text": inputs.DEFAULT_TEXT,
    "english": translation.DEFAULT_SENTENCE,
    "how": inputs.REPLACEMENTS[0],
}


def none() -> None:
    """What stands in place of a menu on a page that compares models of its own; other pages' choice is kept for them."""
    menu = MENUS["language"]
    if (linked := st.query_params.get(menu.key)) in menu.models():
        st.session_state[menu.key] = linked
    st.session_state.setdefault(menu.key, menu.default)
    st.sidebar.caption("This page compares models of its own: there is none to choose.")


def sidebar(models: str) -> LanguageModel | Translator | TraceFile:
    """The menu of the `models` that a page offers, a key of MENUS, with what the chosen one is. Returns that."""
    menu = MENUS[models]
    if (wanted := fetching.wanted()) in menu.models():
        st.session_state[menu.key] = wanted
    name = inputs.model_menu(menu.models(), menu.key, menu.default, menu.help)
    chosen = menu.load(name)
    frame.sidebar_status(chosen)
    if menu is MENUS["language"]:
        with st.sidebar:
            fetching.offers(name)
            uploads.box()
    return chosen
