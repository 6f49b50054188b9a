"""Ribbons of the page Alignment on a static site: which map of a translator aligns best."""

from __future__ import annotations

from typing import Any

from tlmviz.ui import translation

from .data import align_of
from .state import BEST


def given() -> dict[str, Any]:
    """What site.js begins with; a recurrent model has one map."""
    return {
        "model": translation.DEFAULT_MODEL,
        "best": {name: align_of(name, BEST) for name in translation.transformers()},
    }
