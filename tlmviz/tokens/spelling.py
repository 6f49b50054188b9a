"""How the pieces of a vocabulary spell bytes: a class each, chosen by the decoder that a tokenizer names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from tokenizers import Tokenizer as HFTokenizer

from ..errors import BadCheckpoint

BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
UNDERLINE = "\u2581"  # SentencePiece's sign for a space


class Spelling(Protocol):
    """From pieces to bytes. `leading_space` holds where the encoder puts a space before a text that has none."""

    leading_space: bool

    def bytes_of(self, piece: str) -> bytes:
        """The bytes that one piece stands for."""


class ByteLevel:
    """A printable character for each byte, as GPT-2, Qwen, Llama 3 and SmolLM have it."""

    leading_space = False

    def __init__(self) -> None:
        self.alphabet = byte_alphabet()

    def bytes_of(self, piece: str) -> bytes:
        """Each character's byte; an added token's own characters stand for themselves."""
        if self.alphabet.keys() >= set(piece):
            return bytes(self.alphabet[character] for character in piece)
        return piece.encode("utf-8", "replace")


class Metaspace:
    """SentencePiece's spelling (Llama 2, Mistral, Gemma, Phi-3): an underline for a space, <0xF0> for a byte without a
    piece."""

    def __init__(self, leading_space: bool):
        self.leading_space = leading_space

    def bytes_of(self, piece: str) -> bytes:
        """The piece's text with its spaces, or its one byte."""
        byte = BYTE.fullmatch(piece)
        if byte:
            return bytes([int(byte[1], 16)])
        return piece.replace(UNDERLINE, " ").encode("utf-8", "replace")


def _of_metaspace(decoder: Mapping[str, Any]) -> Spelling:
    return Metaspace(decoder.get("prepend_scheme", "always") != "never")


def _of_sequence(decoder: Mapping[str, Any]) -> Spelling | None:
    """Known by its parts: a byte-level one, or a replaced underline, with a leading space cut off or not."""
    parts = {part["type"]: part for part in decoder.get("decoders", [])}
    if "ByteLevel" in parts:
        return ByteLevel()
    if "Metaspace" in parts:
        return _of_metaspace(parts["Metaspace"])
    if {"Replace", "ByteFallback"} & parts.keys():
        return Metaspace("Strip" in parts)
    return None


# The type of a tokenizer's decoder -> how its pieces spell.
SPELLINGS: dict[str, Callable[[Mapping[str, Any]], Spelling | None]] = {
    "ByteLevel": lambda decoder: ByteLevel(),
    "Metaspace": _of_metaspace,
    "Sequence": _of_sequence,
}


def spelling_of(inner: HFTokenizer, name: str) -> Spelling:
    """The spelling of a tokenizer's pieces; `name` is the file's, for the sentence. Raises BadCheckpoint."""
    decoder = {} if inner.decoder is None else json.loads(inner.decoder.__getstate__())
    kind = decoder.get("type", "none")
    read = SPELLINGS.get(kind)
    spelling = None if read is None else read(decoder)
    if spelling is None:
        raise BadCheckpoint(
            f"The tokenizer of {name} has the decoder {kind!r}; byte-level and SentencePiece tokenizers can be read."
        )
    return spelling


def byte_alphabet() -> dict[str, int]:
    """GPT-2's printable stand-ins for the 256 bytes: character -> byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    alphabet = {chr(byte): byte for byte in printable}
    alphabet.update({chr(256 + i): byte for i, byte in enumerate(others)})
    return alphabet
