"""The state of the page Start: a sentence, which is the text of all pages."""

from __future__ import annotations

from tlmviz.ui import state


class Start(state.State):
    """The sentence that is read; there is nothing else to choose."""

    text: str
