"""The view "Ribbons": attention between the two sentences, which can be moved by hand."""

from __future__ import annotations

from tlmviz.ui import below, frame

from .. import guess
from . import controls, view


def show(model: str, text: str | None) -> None:
    """The chosen hypothesis as it is written under the pins, and what is below."""
    if text is None:
        return
    with frame.picture_first():
        with frame.after_picture():
            choice = controls.choose(model, text)
        if not guess.seen(choice.hypothesis):
            return
        after = view.picture(choice)
    below.when_painted("beneath-ribbons", lambda: view.beneath(choice, after))
