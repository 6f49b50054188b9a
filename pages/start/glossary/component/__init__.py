"""The glossary as a list that is searched in the browser while one types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_glossary", Path(__file__).parent, isolated=False)


def list_terms(
    entries: list[dict[str, Any]], *, find: str, term: str, key: str, on_change: Callable[[], None]
) -> None:
    """Show the terms that fit `find`, `term` lit; the browser sends {"text"} as `find` when something was typed.

    It is not isolated, so that its links are followed as cards are.
    """
    _component(
        key=key,
        data={"entries": entries, "find": find, "term": term},
        on_find_change=on_change,
    )
