"""One text in a row with others: padded, in a batch, or packed behind another text, and cut out of it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from tlmviz.caches.protocol import Rotate, attend
from tlmviz.recording import Recording, recording
from tlmviz.tracing.trace import AttentionSpec, Trace

from .evidence import Beside

PADS = 5
OTHERS = 12  # tokens of the text in front of a packed one


@dataclass(frozen=True)
class Row:
    """Tokens of one row, where each stands in its own text, and which text it is of; a query sees its own text only."""

    ids: Sequence[int]
    positions: Sequence[int]
    texts: Sequence[int]


class Rows:
    """In place of a cache in one pass over several rows: says where every token stands, and what its query must not
    see."""

    rotated, length, nbytes = True, 0, 0

    def __init__(self, rows: Sequence[Row]):
        self.rows = rows

    def position_ids(self, count: int) -> Tensor:
        """Of each row its own, [B, T]."""
        return torch.tensor([row.positions for row in self.rows])

    def texts(self) -> Tensor:
        """The number of the text that a token is of, [B, T]."""
        return torch.tensor([row.texts for row in self.rows])

    def attend(
        self, layer: int, q: Tensor, k: Tensor, v: Tensor, spec: AttentionSpec, rotate: Rotate
    ) -> tuple[Tensor, Tensor]:
        """Attention within the texts of each row; nothing is kept."""
        segments = self.texts().to(q.device)
        return attend(q, k, v, replace(spec, mask=replace(spec.mask, segments=segments)))


def left_padded(lm: Any, ids: list[int]) -> tuple[Trace, Beside]:
    """The text behind padding, in a batch with a longer one."""
    count = range(len(ids))
    row = Row([*[ids[0]] * PADS, *ids], [*[0] * PADS, *count], [*[0] * PADS, *[1] * len(ids)])
    return _first_row(lm, ids, [row, _longer(lm, ids)], PADS, "padding")


def right_padded(lm: Any, ids: list[int]) -> tuple[Trace, Beside]:
    """The text in front of padding, in a batch with a longer one."""
    last = min(len(ids), lm.config.context - 1)
    row = Row([*ids, *[ids[0]] * PADS], [*range(len(ids)), *[last] * PADS], [*[1] * len(ids), *[0] * PADS])
    return _first_row(lm, ids, [row, _longer(lm, ids)], 0, "padding")


def packed(lm: Any, ids: list[int]) -> tuple[Trace, Beside]:
    """The text in one row behind another, each from its own position 0 on."""
    other = ids[::-1][:OTHERS]
    texts = [0] * len(other) + [1] * len(ids)
    row = Row([*other, *ids], [*range(len(other)), *range(len(ids))], texts)
    return _first_row(lm, ids, [row], len(other), "documents")


def in_batch(lm: Any, ids: list[int]) -> Trace:
    """The text in a batch with others of its length."""
    record = _recorded(lm, torch.tensor([ids, ids[::-1], ids[1:] + ids[:1]]), None)
    return held(lm, ids, {name: value[:1] for name, value in record.values.items()})


def _longer(lm: Any, ids: list[int]) -> Row:
    """The text, going on as long as the padded row."""
    count = len(ids) + PADS
    positions = [min(place, lm.config.context - 1) for place in range(count)]
    return Row((ids * (1 + PADS))[:count], positions, [1] * count)


def _first_row(lm: Any, ids: list[int], rows: list[Row], start: int, cause: str) -> tuple[Trace, Beside]:
    """The text's part of the first row, which begins at `start`, and the keys in front of it."""
    record = _recorded(lm, torch.tensor([row.ids for row in rows]), Rows(rows))
    first = {name: value[:1] for name, value in record.values.items()}
    cut = {name: value.narrow(token_axis(name), start, len(ids)) for name, value in first.items()}
    keys = [first[f"blocks.{layer}.attn.k"][:, :, :start].cpu() for layer in range(lm.config.n_layers)]
    return held(lm, ids, cut), Beside(cause, keys)


def _recorded(lm: Any, ids: Tensor, rows: Rows | None) -> Recording:
    """Every tap of one pass."""
    with torch.inference_mode(), recording() as record:
        lm.network(ids, rows)
    return record


def token_axis(name: str) -> int:
    """The axis of tokens: behind the heads, or behind the batch."""
    return 2 if name.partition(".attn.")[2] in ("q", "k", "v", "z", "lse", "latent") else 1


def held(lm: Any, ids: list[int], values: dict[str, Tensor]) -> Trace:
    """A trace of tensors that a run left, with no network to run again."""
    tokens, record, specs = [lm.tokenizer.name(i) for i in ids], Recording(values=values), lm.network.specs()
    return Trace(ids, tokens, record, specs, frozenset(values), None, lm.network.unembed, model=lm.name)
