"""Pointer sentinel: at each word of a text what is written, what is copied, and from where."""

from pages.words.pointer_sentinel import controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show() -> None:
    """The text and what the model makes of it."""
    copier, _ = controls.models()
    choice = controls.choose(copier)
    if choice is not None:
        view.show(choice)


frame.heading("Pointer sentinel", words.CLAIM, examples.examples)
show()
