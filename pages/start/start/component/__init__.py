"""A sentence whose words light up by how much one of them looks at the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_first_look", Path(__file__).parent)


def first_look(tokens: list[str], heads: list[dict[str, Any]], *, picture: int, color: str, key: str) -> None:
    """Draw the tokens. Each of `heads` has a name, weights [T, T] as lists of shares, and the row that it opens on.

    It walks along the words by itself until somebody points at one.
    """
    _component(key=key, data={"tokens": tokens, "heads": heads, "picture": picture, "color": color})
