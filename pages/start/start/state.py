"""The state of the page Start: a sentence, which is the text of all pages, and whether it was guessed where it
looks."""

from __future__ import annotations

from tlmviz.ui import link, state


class Start(state.State):
    """The sentence that is read, and whether this visitor has guessed: the picture is veiled until then, once a
    session, and no link says it."""

    text: str
    guessed = state.live("guessed", 0, link.whole(0, 1), ends=(0, 1), said=False)
