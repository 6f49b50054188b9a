"""A menu of the models that a page can show, and what the chosen one is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.checkpoints.folders import AT, opened_models
from tlmviz.checkpoints.registry import checkpoint_folder
from tlmviz.errors import UnknownName
from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.translator import Translator
from tlmviz.tracing.trace_file import TraceFile

from . import address, compute, fetching, frame, gallery, inputs, link, texts, translation, uploads


@dataclass(frozen=True)
class ModelMenu:
    """One menu of models: its key in the link, the default, the models (name -> description) and how one is loaded."""

    key: str
    default: str
    models: Callable[[], dict[str, str]]
    load: Callable[[str], LanguageModel | Translator | TraceFile]
    help: str


MENUS = {
    "language": ModelMenu(
        "model", compute.DEFAULT_MODEL, compute.offered, compute.model, texts.MODELS_HELP["language"]
    ),
    "translation": ModelMenu(
        "mt", translation.DEFAULT_MODEL, translation.models, translation.model, texts.MODELS_HELP["translation"]
    ),
    "streams": ModelMenu(
        "smodel", compute.DEFAULT_STREAM_MODEL, compute.stream_models, compute.model, texts.MODELS_HELP["streams"]
    ),
    "experts": ModelMenu(
        "emodel", compute.DEFAULT_EXPERT_MODEL, compute.expert_models, compute.model, texts.MODELS_HELP["experts"]
    ),
}

# What follows the user from page to page, but is drawn by the pages: the keys of their widgets, in the link too.
SHARED = ("text", "english", "how")


# In a session: the page that was gone to, and (behind this begins its menu's key) the model it chose by itself.
_PAGE, _BY_PAGE = "_menu_of", "_by_page_"


def none() -> None:
    """On a page that compares models of its own there is no menu; other pages' choice is kept for them."""
    menu = MENUS["language"]
    came = link.arrived() or link.navigated()  # later the session may have another one, which the page chose
    linked = st.query_params.get(menu.key, "")
    if came and {linked, linked.partition(AT)[0]} & menu.models().keys():
        st.session_state[menu.key] = linked
    if not opened_models():  # the first menu that is drawn opens on one of them
        st.session_state.setdefault(menu.key, menu.default)
    gallery.claims_of(None)


def unread(*also: str) -> None:
    """On a part of a page that reads nothing by the model of the menu: it is out of sight, and what is saved does not
    name it.

    Nor what the fields `also` of the address say.
    """
    address.pictures_read(**dict.fromkeys((*(menu.key for menu in MENUS.values()), *also), ""))
    hidden = ".st-key-top :is(.st-key-_model, .st-key-at_step, .st-key-about), :has(> * > .unread)"
    # With more than a style it goes where it is written, and with it when another part is drawn there.
    st.html(f'<style>{hidden} {{ display: none; }}</style><i class="unread"></i>')


def absent(models: str, needs: Iterable[str]) -> UnknownName | None:
    """What is to be said where this menu of a page would be empty, or one of the models that it `needs` is not here.

    None where all are: an installation may hold few of the models that tlmviz trained.
    """
    for name in (*needs, *([MENUS[models].default] if models and not MENUS[models].models() else [])):
        try:
            checkpoint_folder(name)
        except UnknownName as error:
            return error
    return None


def _open_on(default: str, menu: ModelMenu, page: str) -> None:
    """While nobody has chosen a model, a page that is gone to opens on its own default, and the next one on its own
    again."""
    if st.session_state.get(_PAGE) == page:
        return
    st.session_state[_PAGE] = page
    chosen = f"{_BY_PAGE}{menu.key}"
    by_page = st.session_state.get(chosen)
    if menu.key not in st.query_params and st.session_state.get(menu.key) in (None, menu.default, by_page):
        if default != menu.default or by_page is not None:
            st.session_state[menu.key] = default
        st.session_state[chosen] = default if default != menu.default else None


def choose(
    place: DeltaGenerator, models: str, page: str, opens_on: str = "", translates: bool = False
) -> LanguageModel | Translator | TraceFile:
    """The menu of the `models` that a page offers, a key of MENUS, and behind a button what the chosen one is. Returns
    that.

    A page may open on another model than the menu's default, where there is one of that name, and have Transformers
    that translate in it too.
    """
    menu = MENUS[models]
    pairs = translation.transformers() if translates else {}
    offered = menu.models() | pairs
    default = opens_on if opens_on in offered and not opened_models() else menu.default
    _open_on(default, menu, page)
    if wanted := fetching.wanted(offered):
        st.session_state[menu.key] = wanted
        st.session_state[f"{_BY_PAGE}{menu.key}"] = None  # it was chosen by somebody
    name = inputs.model_menu(place, offered, menu.key, default)
    listed = name if name in offered else name.partition(AT)[0]
    gallery.claims_of(menu.default, key=menu.key, shown=name, opens_on=default)
    chosen = translation.model(name) if name in pairs else menu.load(name)
    with place.popover(texts.ABOUT_MODEL, key="about"):
        st.markdown(offered[listed])
        frame.model_status(chosen)
        st.caption(menu.help)
        if menu is MENUS["language"] and name not in pairs:
            fetching.offers(listed)
            uploads.box()
    return chosen
