"""The map of the page Projector on a static site: word vectors on their two main axes, coloured by category."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tlmviz.analysis.words.categories import CATEGORIES
from tlmviz.figures.words import groups
from tlmviz.ui import words

from .data import NEAR


def given() -> dict[str, Any]:
    """What site.js begins with."""
    shown, _ = groups.by_category([], CATEGORIES)
    return {
        "model": words.DEFAULT_MODEL,
        "near": NEAR,
        "categories": list(CATEGORIES.values()),
        "groups": [asdict(group) for group in shown],
    }
