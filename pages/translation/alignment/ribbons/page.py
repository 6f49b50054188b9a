"""The view "Ribbons": attention between the two sentences, which can be moved by hand."""

from __future__ import annotations

from . import controls, view


def show(model: str, text: str | None) -> None:
    """The chosen hypothesis as it is written under the pins, and what is below."""
    if text is not None:
        view.show(controls.choose(model, text))
