"""Text and image: a picture laid out digit by digit, a question about it, and who looks where, both ways round."""

from pages.beyond.text_and_image import controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show() -> None:
    """The picture, the question, the answer."""
    view.show(controls.choose())


frame.heading("Text and image", words.CLAIM, examples.examples)
show()
