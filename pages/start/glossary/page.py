"""Glossary: every term that pages explain, with the pages that use it."""

from pages import IN
from pages.start.glossary import claims, view
from pages.start.glossary.data import Data
from pages.start.glossary.state import Glossary
from tlmviz.ui import frame
from tlmviz.ui.language import _


@frame.fragment
def terms() -> None:
    """The list; what is searched for, and the lit term, are in the link."""
    shown = Data(Glossary.of_session())
    view.unknown(shown)
    frame.claim(claims.CLAIMS, shown)
    view.terms(shown)
    frame.what_to_notice(*map(_, claims.NOTICE))


frame.heading(IN["start/glossary"], lambda: None, Glossary)
terms()
