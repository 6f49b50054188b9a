"""What the page Glossary is asked for: a search, and a term to light."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.ui import glossary, link

KEY = "glossary"
LONGEST = 60  # characters of a search
FIND = link.Field("gfind", "", link.up_to(LONGEST))
TERM = link.Field("term", "", link.up_to(LONGEST))


@dataclass(frozen=True)
class Choice:
    """What is searched for; the term as the link has it, and the name of its entry, None where there is none."""

    find: str
    asked: str
    term: str | None


def choose() -> Choice:
    """The session's choice."""
    asked = TERM.get().strip()
    return Choice(FIND.get(), asked, glossary.named(asked) if asked else None)


def keep() -> None:
    """Callback of the list: what was typed becomes the search, and nothing is lit any more."""
    if sent := (st.session_state.get(KEY) or {}).get("find"):
        FIND.keep(str(sent["text"])[:LONGEST])
        TERM.keep("")


def share() -> None:
    """Show the choice in the link."""
    FIND.share()
    TERM.share()
