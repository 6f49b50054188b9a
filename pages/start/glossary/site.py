"""The glossary on a static site: every term with what it means and the pages that use it."""

from __future__ import annotations

from typing import Any

from .data import entries
from .view import other_forms


def given() -> dict[str, Any]:
    """What site.js is given."""
    return {
        "entries": [
            {
                "name": entry.name,
                "aliases": other_forms(entry),
                "text": entry.text,
                "pages": [{"title": page.title, "count": count, "path": page.path} for page, count in entry.pages],
            }
            for entry in entries()
        ]
    }
