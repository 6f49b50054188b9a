"""Tokens as text, in figures, menus and captions: the one place that decides how they are written.

`#canvas/text.js` writes them alike in the browser; tests/javascript holds the two together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

_NAMES = {"<|endoftext|>": "⟨start⟩", "": "∅"}
_SIGNS = str.maketrans({"\n": "⏎", "\t": "⇥"})
SPACE = "␣"
_MOST_SPACES = 6
_JOINERS = "\u200c\u200d"  # unprintable alone, but emoji are made with them


def readable(token: str, spaced: bool = False) -> str:
    """One token on one line: line ends, tabs and lone spaces as signs, and nothing unprintable in it.

    The space before a word is left out unless `spaced`: nearly every word has one.
    """
    if token in _NAMES:
        return _NAMES[token]
    if token in _NAMES.values():
        return token
    if not token.strip(" "):
        return SPACE * min(len(token), _MOST_SPACES)
    text = token.replace("\r\n", "\n").replace("\r", "\n").translate(_SIGNS)
    text = "".join(char if char.isprintable() or char in _JOINERS else "�" for char in text)
    ended = text.rstrip(" ")
    text = ended + SPACE * (len(text) - len(ended))
    word = text.lstrip(" ")
    spaces = len(text) - len(word)
    # Spaces before a line end or a tab are no word's: they tell one such token from another.
    return SPACE * min(spaces, _MOST_SPACES) + word if spaced or word[0] in "⏎⇥" else word


def readable_all(tokens: Sequence[str]) -> list[str]:
    """The tokens of one picture: where two that differ would read the same, each shows the space before it."""
    plain = [readable(token) for token in tokens]
    kinds = Counter(text for text, _ in {(text, token) for text, token in zip(plain, tokens)})
    return [readable(token, spaced=True) if kinds[text] > 1 else text for text, token in zip(plain, tokens)]


def escaped(text: str) -> str:
    """Text without markup that Plotly would parse."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _cut(text: str, limit: int) -> str:
    return escaped(text if len(text) <= limit else text[: limit - 1] + "…")


def token_label(token: str, limit: int = 14) -> str:
    """One token as axis text: readable, cut to `limit` characters, without markup."""
    return _cut(readable(token), limit)


def token_labels(tokens: Sequence[str], limit: int = 14) -> list[str]:
    """The tokens of one axis, told apart as `readable_all` does."""
    return [_cut(text, limit) for text in readable_all(tokens)]


def placed(position: int, token: str) -> str:
    """A token with its place: 12 · Lily."""
    return f"{position} · {readable(token)}"
