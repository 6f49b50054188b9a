"""Glossary: every term that pages explain, with the pages that use it."""

from pages.start.glossary import compute, controls, view, words
from tlmviz.ui import frame


@frame.fragment
def terms() -> None:
    """The list; what is searched for, and the lit term, are in the link."""
    choice = controls.choose()
    view.unknown(choice)
    view.terms(choice, compute.entries())


frame.heading("Glossary", words.CLAIM, lambda: None)
terms()
frame.what_to_notice(*words.NOTICE)
