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


def place_names(count: int, patches: tuple[int, int] | None) -> list[str]:
    """Names of places without ids: [CLS] and other extra ones, then patches by row and column; else "position 0" and on."""
    if patches is None or count < patches[0] * patches[1]:
        return [f"position {place}" for place in range(count)]
    extra = count - patches[0] * patches[1]
    first = ["[CLS]", *(f"[register {number}]" for number in range(1, extra))][:extra]
    return first + [f"patch {row},{column}" for row in range(patches[0]) for column in range(patches[1])]


def patch_grid(pixels: tuple[int, ...], config: Any) -> tuple[int, int] | None:
    """Rows and columns of patches in an image [..., height, width]; None where the model has no patches."""
    size = getattr(getattr(config, "vision_config", config), "patch_size", None)
    if size is None or len(pixels) < 3:
        return None
    height, width = (size, size) if isinstance(size, int) else (size[0], size[1])
    return pixels[-2] // height, pixels[-1] // width
