"""How much longer a tokenizer of somebody's makes a text: no file of it may have a text fill the memory.

Forty replacements of a letter by two are a few lines of a tokenizer.json, and make a letter a terabyte. What a file can
do is bounded when it is read, step by step; where the steps together could still make a text much longer, each text is
tried.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable, Mapping
from typing import Any

from tokenizers import Tokenizer as HFTokenizer
from tokenizers.normalizers import Normalizer

from ..errors import BadCheckpoint, BadText

MOST = 40  # times as long as before: more than SentencePiece's own rules do to any letter
TEXT = 12  # times as long as it came, any text on its way; one form of Unicode makes eleven bytes of one


def _replace(step: Mapping[str, Any]) -> float:
    found, put = step["pattern"].get("String", ""), len(step["content"].encode())
    # An expression may find nothing, which is everywhere.
    return max(1.0, put / len(found.encode())) if found else 1 + put


def _precompiled(step: Mapping[str, Any]) -> float:
    rules = base64.b64decode(step["precompiled_charsmap"] or "")
    size = struct.unpack("<I", rules[:4])[0] if len(rules) >= 4 else 0
    put = rules[4 + size :].split(b"\0")  # the texts that are put in, behind a trie
    return max(map(len, put), default=0) + 1


def _all(steps: list[Mapping[str, Any]]) -> float:
    return math.prod(map(growth, steps))


# How many times as many bytes, or pieces, come out of a step at most; of what is not named here, no more than go in.
STEPS: dict[str, Callable[[Mapping[str, Any]], float]] = {
    "Sequence": lambda step: _all(step.get("normalizers") or step.get("pretokenizers") or step.get("processors") or []),
    "Replace": _replace,
    "Prepend": lambda step: 1 + len(step["prepend"].encode()),
    "Precompiled": _precompiled,
    **dict.fromkeys(("NFC", "NFD"), lambda _: 3),
    **dict.fromkeys(("NFKC", "NFKD"), lambda _: 11),
    "Lowercase": lambda _: 1.5,
    "BertNormalizer": lambda _: 7.5,  # NFD, blanks around each Chinese character, small letters
    "ByteLevel": lambda _: 4,  # two bytes for each, and for a blank before them
    "Metaspace": lambda step: 2 * len(step["replacement"].encode()),
    "TemplateProcessing": lambda step: len(step["single"]),
}


def growth(step: Mapping[str, Any]) -> float:
    """How many times as long a step of a tokenizer.json makes what it is given at most."""
    known = STEPS.get(step["type"])
    return max(1.0, known(step)) if known else 1.0


def check(inner: HFTokenizer, name: str) -> None:
    """Raise BadCheckpoint where one step of a tokenizer's normalizer, or one part behind that, can make more than MOST
    times as much of what it is given."""
    normalizers = [_state(each) for each in _steps(inner.normalizer)]
    behind = [_state(part) for part in (inner.pre_tokenizer, inner.post_processor) if part is not None]
    for step in (*normalizers, *behind):
        if growth(step) > MOST:
            raise BadCheckpoint(
                f"{name}: its step {step['type']} can make a text {growth(step):.3g} times as long; a tokenizer of "
                f"which each makes it at most {MOST} times as long can be opened."
            )


def guard(inner: HFTokenizer) -> Callable[[str], None]:
    """What raises BadText for a text that the normalizer would make more than TEXT times as long, on the way or at the
    end."""
    steps = _steps(inner.normalizer)
    if math.prod(growth(_state(each)) for each in steps) <= MOST:
        return lambda text: None

    def check_text(text: str) -> None:
        most = TEXT * (len(text.encode()) + MOST)
        for step in steps:
            text = step.normalize_str(text)
            if len(text.encode()) > most:
                raise BadText(
                    f"This tokenizer makes the text more than {TEXT} times as long; another text, or another "
                    "tokenizer, would do."
                )

    return check_text


def _steps(part: Any) -> list[Normalizer]:
    """The steps of a normalizer; a sequence among them is one."""
    if part is None:
        return []
    state = _state(part)
    return [part[number] for number in range(len(state["normalizers"]))] if state["type"] == "Sequence" else [part]


def _state(part: Any) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(part.__getstate__())
    return state
