"""The view "Force attention": steps pinned to source tokens, and what is written from there."""

from __future__ import annotations

from tlmviz.ui import frame

from ..hypothesis import controls as hypothesis
from . import controls, view, words


def show(model: str, text: str | None) -> None:
    """The chosen hypothesis as it was, and decoded on with the pins."""
    if text is None:
        return
    choice = controls.choose(hypothesis.choose(model, text))
    view.before_and_after(choice)
    view.next_tokens(choice)
    frame.what_to_notice(*words.NOTICE)
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))
