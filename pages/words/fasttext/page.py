"""FastText: any word taken apart into n-grams, and what lies near it."""

from pages.words.fasttext import compute, controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show() -> None:
    """The word, its parts and neighbours, and its spelling against all words."""
    choice = controls.choose()
    view.parts(choice)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    view.spelling(choice)
    frame.badges(compute.checks(choice))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))


frame.heading("FastText", words.CLAIM, examples.examples)
show()
