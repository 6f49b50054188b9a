"""The state of the part Two MLAs: the text that all pages share."""

from __future__ import annotations

from tlmviz.ui import state


class Text(state.State):
    """A text."""

    text: str
