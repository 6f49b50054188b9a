"""The pages of the app that a site has, as the app declares them: titles, sentences, styles, and the controls of their
states."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tlmviz.checkpoints.registry import list_models
from tlmviz.hosting.server import app_file, require_app

if TYPE_CHECKING:
    from tlmviz.ui.state import Control

    from .models import Model

ENTRY = "site.js"  # beside a view.js: makes in a browser what the page's Python makes


@dataclass(frozen=True)
class SitePage:
    """A page of a site: the page of the app, and the folder of its ENTRY."""

    page: Any  # a Page of pages/__init__.py
    folder: Path

    @cached_property
    def given(self) -> dict[str, Any]:
        """What its script is given by its site.py; nothing without one."""
        return self.own.given() if self.own and hasattr(self.own, "given") else {}

    def of_models(self, models: list[Model]) -> dict[str, Any]:
        """What its script is given about the models of the site."""
        return self.own.of_models(models) if self.own and hasattr(self.own, "of_models") else {}

    @property
    def own(self) -> ModuleType | None:
        """Its site.py, if it has one: `given()` is what its script is given, `of_models()` what beside it follows from
        the site's models, `files()` what lies beside it, BODY and STYLE are markup of its own."""
        return self._module("site")

    @property
    def controls(self) -> dict[str, Any]:
        """The controls of the states beside its script, by the names of their fields."""
        from tlmviz.ui.state import Several, State

        declared = self._module("state")
        states = (
            [each for each in vars(declared).values() if isinstance(each, type) and issubclass(each, State)]
            if declared
            else []
        )
        return {
            name: described(each)
            for state in states
            for name, each in state.__dict__.get("controls", {}).items()
            if each.widget and not isinstance(each, Several)
        }

    def runs_with(self, models: Collection[Model]) -> bool:
        """Whether a site of these models has one that the page's script can ask for: one of its `models`, else of the
        task of its `model`; most pages ask for one."""
        wanted, some = self.given.get("model"), self.given.get("models")
        if some is not None:
            return any(model.name in some for model in models)
        return wanted is None or any(wanted in list_models(task) for task in {model.task for model in models})

    def _module(self, name: str) -> ModuleType | None:
        if not (self.folder / f"{name}.py").is_file():
            return None
        return _imported(".".join([*self.folder.relative_to(app_file().parent).parts, name]))


def sections() -> Mapping[str, tuple[Any, ...]]:
    """Chapter -> pages of the app. Raises MissingExtra where it is not installed."""
    require_app()
    found: Mapping[str, tuple[Any, ...]] = _imported("pages").SECTIONS
    return found


def site_pages() -> list[SitePage]:
    """The pages of a site, in the order of the app's menu."""
    root = app_file().parent / "pages"
    found = []
    for page in (page for pages in sections().values() for page in pages):
        for entry in sorted((root / page.folder).rglob(ENTRY)):
            found.append(SitePage(page, entry.parent))
    return found


def described(control: Control) -> dict[str, Any]:
    """A control as tlmviz/site/controls.js draws it."""
    from tlmviz.ui.state import Menu

    found: dict[str, Any] = {
        "key": control.key,
        "widget": control.widget,
        "label": control.label,
        "help": control.help,
        "default": control.default,
        **{name: control.more[name] for name in ("min_value", "max_value", "step") if name in control.more},
    }
    if isinstance(control, Menu):
        found["options"] = [[value, control.write(value), control.show(value)] for value in control.options]
    return found


# --- parts ---------------------------------------------------------------------------------------


def _imported(name: str) -> ModuleType:
    """A module of the app, which lies outside of this package."""
    place = str(app_file().parent)
    if place not in sys.path:
        sys.path.insert(0, place)
    # Without a server Streamlit says of every cached function that it keeps its results in memory.
    logging.getLogger("streamlit.runtime.caching.cache_data_api").disabled = True
    return importlib.import_module(name)
