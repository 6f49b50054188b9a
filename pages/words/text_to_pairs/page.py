"""From text to pairs: a window slides over the text, and which words stand in it together is counted."""

from pages.words.text_to_pairs import compute, controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show() -> None:
    """The window and the matrix, what is thrown out, one-hot and trained vectors."""
    with frame.picture_first():
        choice = controls.choose()
        if choice is None:
            return
        view.window(choice)
    frame.what_to_notice(*words.notice(choice), maths=words.NOTICE_MATHS)
    view.thrown(choice)
    view.distances(choice)
    frame.measured(lambda: compute.measured(choice))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))


frame.heading("From text to pairs", words.CLAIM, examples.examples)
show()
