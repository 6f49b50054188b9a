"""The sidebar: a menu of the models that a page can show, and what the chosen one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tlmviz.language_model import LanguageModel
from tlmviz.translator import Translator

from . import compute, frame, inputs, translation


@dataclass(frozen=True)
class ModelMenu:
    """One menu of models: its key in the link, the default, the models (name -> description) and how one is loaded."""

    key: str
    default: str
    models: Callable[[], dict[str, str]]
    load: Callable[[str], LanguageModel | Translator]
    help: str


TRAINED = "Small models trained for this app"
MENUS = {
    "language": ModelMenu("model", compute.DEFAULT_MODEL, compute.models, compute.model, f"{TRAINED}."),
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


def sidebar(models: str) -> None:
    """The menu of the `models` that a page offers, a key of MENUS, with what the chosen one is."""
    menu = MENUS[models]
    name = inputs.model_menu(menu.models(), menu.key, menu.default, menu.help)
    frame.sidebar_status(menu.load(name))
