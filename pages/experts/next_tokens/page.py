"""Next tokens: what is predicted several tokens ahead from every position, and how that makes writing quicker."""

from pages.experts.next_tokens import controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show() -> None:
    """The text and what is predicted, or written, from there on."""
    choice = controls.choose()
    if choice is not None:
        view.show(choice)


frame.heading("Next tokens", words.CLAIM, examples.examples)
show()
