"""Encoder-only: hidden words guessed from both sides, what [CLS] reads, and three kinds of models on one sentence."""

from pages.beyond.encoder_only import controls, examples, guess, view, words
from tlmviz.ui import frame, link

VIEWS = dict(zip(controls.PARTS, (view.hidden, view.cls, view.masks, view.kinds)))


@frame.fragment
def show() -> None:
    """The controls, and the chosen part of the page."""
    choice = controls.choose()
    if choice is not None and guess.seen(choice):
        VIEWS[choice.part](choice)
        link.share()


frame.heading("Encoder-only", words.CLAIM, examples.examples)
show()
