"""What a visitor typed, or a link says, within Markdown: shown as text, never as a picture, a link or an element."""

from __future__ import annotations

import re

from tlmviz.figures import readable

# The browser makes links of these wherever they stand, escaped or not, unless something parts them.
_ADDRESSES = re.compile(r"(?<=:/)(?=/)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)
_PARTED = "\u2060"  # a word joiner: of no width, and no line breaks there


def plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~:&])", r"\\\1", _parted(text).replace("\n", " "))


def sentence(text: str) -> str:
    """A sentence of ours with something of a visitor's in it, as Markdown: bold words and code stay, the rest is
    text."""
    return re.sub(r"([\\\[<$&])", r"\\\1", _parted(text))


def quoted(token: str, position: int | None = None) -> str:
    """A token in a sentence, as Markdown, and where it stands if that is given: “cat” (3)."""
    said = f"“{plain(readable(token))}”"
    return said if position is None else f"{said} ({position})"


def _parted(text: str) -> str:
    return _ADDRESSES.sub(_PARTED, text)
