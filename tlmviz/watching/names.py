"""What the rows and columns of a watched model's maps are called."""

from __future__ import annotations

from typing import Any


def token_names(ids: list[int], tokenizer: Any) -> list[str]:
    """Each token as it stands in the text, " cat" with its space; its number where there is no tokenizer."""
    if tokenizer is None:
        return [str(number) for number in ids]
    return [_piece(number, tokenizer) for number in ids]


def _piece(number: int, tokenizer: Any) -> str:
    piece: str | None = tokenizer.convert_ids_to_tokens(number)
    if piece is None:  # a number beyond the vocabulary
        return str(number)
    if "▁" in piece:  # SentencePiece's space, which decoding a single token loses
        return piece.replace("▁", " ")
    return str(tokenizer.decode([number])) or piece
