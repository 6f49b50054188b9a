"""Formats: the bits of FP32 down to INT4, and what each makes of a number."""

from pages.numbers.formats import controls, examples, view, words
from tlmviz.ui import frame, link


@frame.fragment
def show() -> None:
    """The picture, the table of all formats, and the words."""
    choice = controls.choose()
    view.bits(choice)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    view.table()
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))
    link.share()


frame.heading("Formats", words.CLAIM, examples.examples)
show()
