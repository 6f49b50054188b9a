"""How well a network predicts text, in bits per byte: comparable across tokenizers."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional as F

from .errors import BadText

LOGITS_AT_ONCE = 1 << 24  # numbers: what a batch may make of them


@torch.inference_mode()
def bits_per_byte(network: Any, tokenizer: Any, documents: list[str], batch_tokens: int = 8192) -> float:
    """Total -log2 p of all documents divided by their UTF-8 bytes; each starts after the token that texts begin with.

    `network` is a TransformerLM, or what has its configuration, `read` and `unembed`, and `tokenizer` its Tokenizer.

    Of a model whose texts begin with no token of its own, the first token of each is read and neither scored nor
    counted.

    A document longer than the context is read in windows that overlap by half, so that every
    token after the first window has at least half a context before it. Raises BadText when
    there is nothing to score.
    """
    network.eval()
    context = network.config.context
    batch_tokens = max(1, min(batch_tokens, LOGITS_AT_ONCE // network.config.vocab_size))
    windows: list[tuple[list[int], int]] = []  # ids, and how many of the leading targets were scored before
    total_bytes = 0
    for document, ids in zip(documents, tokenizer.encode_many(documents)):
        total_bytes += len(document.encode("utf-8", "replace"))
        if tokenizer.begin is None:
            total_bytes -= len(tokenizer.token_bytes(ids[0]))
        else:
            ids = [tokenizer.begin, *ids]
        start, scored = 0, 0
        while scored < len(ids) - 1:
            piece = ids[start : start + context + 1]
            windows.append((piece, scored - start))
            scored = start + len(piece) - 1
            start += context // 2 or 1
    if not total_bytes:
        raise BadText("There is no text to score; give at least two tokens.")
    windows.sort(key=lambda window: len(window[0]))
    nats, width = 0.0, 0
    batch: list[tuple[list[int], int]] = []
    for window in windows:
        longest = max(width, len(window[0]))
        if batch and longest * (len(batch) + 1) > batch_tokens:
            nats += _score(network, batch)
            batch, longest = [], len(window[0])
        batch.append(window)
        width = longest
    nats += _score(network, batch)
    return nats / math.log(2) / total_bytes


def _score(network: Any, batch: list[tuple[list[int], int]]) -> float:
    width = max(len(ids) for ids, _ in batch)
    ids = torch.zeros(len(batch), width, dtype=torch.long)  # filled up behind all that is counted
    counted = torch.zeros(len(batch), width - 1, dtype=torch.bool)
    for row, (piece, skip) in enumerate(batch):
        ids[row, : len(piece)] = torch.tensor(piece)
        counted[row, skip : len(piece) - 1] = True
    strip = max(1, LOGITS_AT_ONCE // (len(batch) * network.config.vocab_size))
    parts = network.read(ids[:, :-1]).split(strip, 1)
    losses = [
        F.cross_entropy(network.unembed(normed).cpu().transpose(1, 2), targets, reduction="none")
        for normed, targets in zip(parts, ids[:, 1:].split(strip, 1))
    ]
    return torch.cat(losses, 1)[counted].double().sum().item()
