"""Characters that several tokens spell together, as byte-level tokenizers cut what they seldom saw."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .tokenizer import Tokenizer

BROKEN = "\ufffd"  # stands for bytes that are no whole character
LONGEST = 4  # bytes of a character, in UTF-8
BYTES = re.compile(r"(<0x[0-9A-F]{2}>)+")  # the name of a token that is a part of a character


def characters(tokenizer: Tokenizer, ids: Sequence[int]) -> list[range]:
    """The places of ids that are read together: those of one character, every other token by itself."""
    found, at = [], 0
    while at < len(ids):
        ends = range(at + 1, min(at + LONGEST, len(ids)) + 1)
        whole = (end for end in ends if BROKEN not in tokenizer.decode(list(ids[at:end]), continues=True))
        found.append(range(at, next(whole, at + 1)))
        at = found[-1].stop
    return found


def spelled(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """The name of one token, or the character that several spell together."""
    return tokenizer.name(ids[0]) if len(ids) == 1 else tokenizer.decode(list(ids), continues=True)


def is_piece(tokens: Sequence[str], at: int) -> bool:
    """Whether a token of a text is a part of a word, not the whole of it."""
    own, before, behind = tokens[at], tokens[at - 1 : at], tokens[at + 1 : at + 2]
    follows = at > 1 and own[:1].isalpha() and before[0][-1:].isalpha()
    return own.strip().isalpha() and (follows or bool(behind) and behind[0][:1].isalpha())
