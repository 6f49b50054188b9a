"""A random number that a browser tab makes up and keeps while it is open, over reloads too. By it alone a visitor counts once."""

from __future__ import annotations

import re
from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_tab", Path(__file__).parent, html="<i hidden></i>")
_NUMBER = re.compile("[0-9a-f]{32}")


def number(known: str) -> str:
    """The tab's number as 32 hexadecimal digits; what is `known` until the browser says otherwise, at first nothing."""
    result = _component(key="tab", data={"known": known}, on_number_change=_ignore, height=1)
    sent = result.number
    return sent if isinstance(sent, str) and _NUMBER.fullmatch(sent) else known


def _ignore() -> None:
    pass
