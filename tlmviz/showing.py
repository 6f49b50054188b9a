"""What shows a trace or a model lies above both: it is known here by its name alone, and imported when it is asked
for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

SHOWN_BY: dict[str, str] = {}  # what is to be shown -> module:function, filled by `tlmviz/__init__.py`


def shown_by(what: str) -> Callable[..., Any]:
    """The function that shows it."""
    module, _, name = SHOWN_BY[what].partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
