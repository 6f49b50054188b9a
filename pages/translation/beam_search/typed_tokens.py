"""Tokens that are typed: as text, or by their numbers such as #12 #345."""

from __future__ import annotations

import re

from tlmviz.errors import BadSearch
from tlmviz.tokens import Tokenizer

NUMBER = re.compile(r"#(\d{1,9})")


def forced_tokens(tokenizer: Tokenizer, typed: str, lead: str = "") -> list[int]:
    """Ids of a forced beginning: text behind `lead`, or ids written as #12 #345. Raises BadSearch for ids that do not
    exist."""
    numbers = NUMBER.findall(typed)
    if numbers and not NUMBER.sub("", typed).strip(" ,"):
        return [_known(tokenizer, int(number)) for number in numbers]
    text = typed.strip()
    return tokenizer.encode(lead + text) if text else []


def as_typed(tokenizer: Tokenizer, ids: list[int], lead: str = "") -> str:
    """What `forced_tokens` reads as these ids: the text where that gives the same tokens, else numbers."""
    text = tokenizer.decode(ids).strip()
    return text if forced_tokens(tokenizer, text, lead) == list(ids) else " ".join(f"#{i}" for i in ids)


def banned_tokens(tokenizer: Tokenizer, typed: str) -> set[int]:
    """Ids of words with commas between them (each with and without a space before it), or #ids. Raises BadSearch."""
    banned = set()
    for word in filter(None, (part.strip() for part in typed.split(","))):
        number = NUMBER.fullmatch(word)
        if number:
            banned.add(_known(tokenizer, int(number.group(1))))
            continue
        single = [ids[0] for ids in (tokenizer.encode(word), tokenizer.encode(" " + word)) if len(ids) == 1]
        if not single:
            pieces = " + ".join(f"“{tokenizer.name(i)}”" for i in tokenizer.encode(" " + word)[:6])
            raise BadSearch(
                "“{word}” is several tokens ({pieces}); ban one of them, by its text or its number (#12).",
                word=word[:40],
                pieces=pieces,
            )
        banned.update(single)
    return banned


def _known(tokenizer: Tokenizer, number: int) -> int:
    if number >= tokenizer.vocab_size:
        raise BadSearch(
            "Token {token} is not in the vocabulary; its tokens are 0 to {last}.",
            token=number,
            last=tokenizer.vocab_size - 1,
        )
    return number
