"""Projector: all vectors of a model in a plane, their training as a film, and analogies."""

from pages.words.projector import controls, examples, view, words
from pages.words.projector.controls import ANALOGIES, FILM, TSNE
from tlmviz.ui import frame


@frame.fragment
def show() -> None:
    """The chosen view, and what to notice in it."""
    with frame.picture_first():
        choice = controls.choose()
        if choice.view == ANALOGIES:
            view.analogy(choice)
        else:
            view.picture(choice)
    if choice.view == ANALOGIES:
        frame.what_to_notice(*words.NOTICE_ANALOGIES)
        view.counted(choice)
        frame.equation(*words.EQUATION_ANALOGY)
    else:
        extra = (
            words.NOTICE_FILM if choice.view == FILM else words.NOTICE_TSNE if choice.method == TSNE else ()
        )
        frame.what_to_notice(*extra, *words.NOTICE, maths=words.NOTICE_MATHS)
        frame.equation(*words.EQUATION_MAP)
    view.checks(choice)
    frame.copy_as_python(words.snippet(choice))


frame.heading("Projector", words.CLAIM, examples.examples)
show()
