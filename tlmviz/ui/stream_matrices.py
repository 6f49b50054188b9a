"""The view "Matrices" of the page mHC."""

from __future__ import annotations


def show(name: str, text: str) -> None:
    """Draw the view for a model and a text."""
