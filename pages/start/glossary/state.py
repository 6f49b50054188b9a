"""The state of the page Glossary: what is searched for, and a term that is lit."""

from __future__ import annotations

from tlmviz.ui import link, state

LONGEST = 60  # characters of a search


class Glossary(state.State):
    """A search, and a term as the link has it."""

    find = state.live("gfind", "", link.up_to(LONGEST), ends=("cache",))
    asked = state.live("term", "", link.up_to(LONGEST), ends=("softmax", "SOFTMAX", "no such"))
