"""Masks of transformers as rules that answer a tile, and what `AttentionMask` such a rule is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..kernels import AttentionMask

STRIP = 1 << 20  # cells that are alive at once while a rule is recognised
# Added to a score, it and what is lower (-1e4 in 16 bits) leaves a weight of 0 beside a key that is seen.
HIDES = -9e3

Answer = Callable[[int, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Rule:
    """Which keys the queries of one call see: `answer(row of the batch, query positions [R], key positions [C])` -> [R,
    C].

    Positions count from the beginning of the text, also where a cache holds what was read before: the call's queries
    are `first` to `first + queries - 1`, its keys end at `last`. `padding` [B, S] is False where a key is no token.
    """

    answer: Answer
    first: int
    last: int
    padding: Tensor | None = None

    def seen(self, batch: int, queries: Tensor, keys: Tensor) -> Tensor:
        """What all rows of the batch see, padding hidden, [B, R, C]."""
        seen = torch.stack([self.answer(row, queries, keys) for row in range(batch)])
        if self.padding is None:
            return seen
        return seen & self.padding[:, None, keys.clamp(max=self.padding.shape[1] - 1)]


class LazyMask:
    """What the mask function of transformers was asked for, in place of the tensor [B, 1, T, S].

    Attention reads `rule`, O(T). Any other operation that a model applies makes the tensor, as its own implementation
    would have, and goes on with that.
    """

    def __init__(self, make: Callable[..., Tensor | None], request: dict[str, Any]):
        # A cache of fixed size counts in a tensor that it writes to before attention runs: read it now.
        offsets = {name: int(request.get(name, 0)) for name in ("q_offset", "kv_offset")}
        self._make, self._request = make, request | offsets
        self._made: list[Tensor | None] = []
        self._rule: Rule | None = None
        self.shape = torch.Size((request["batch_size"], 1, request["q_length"], request["kv_length"]))
        self.ndim = 4
        self.device = torch.device(request.get("device", "cpu"))

    def own(self) -> Tensor | None:
        """The mask that the model's own implementation would have got, made once; None where it needs none."""
        if not self._made:
            self._made.append(self._make(**self._request))
        return self._made[0]

    def tensor(self) -> Tensor:
        """The whole tensor, also where the model's own implementation would do without."""
        whole = self._request | {"allow_is_causal_skip": False, "allow_is_bidirectional_skip": False}
        return self._make(**whole)  # type: ignore[return-value]  # only a skip gives None

    def rule(self) -> Rule:
        """The same as a rule, which keeps no tensor larger than the padding [B, S]; layers share it."""
        if self._rule is None:
            asked = self._request
            first, start = asked["q_offset"], asked["kv_offset"]
            stop = start + asked["kv_length"]
            self._rule = Rule(_Asked(asked, start, stop), first, stop, asked.get("attention_mask"))
        return self._rule

    def contiguous(self) -> LazyMask:
        """Itself: what it stands for is made in one piece."""
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tensor(), name)

    def __getitem__(self, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        whole = all(
            isinstance(part, slice) and part.indices(size) == (0, size, 1) for part, size in zip(parts, self.shape)
        )
        return self if whole else self.tensor()[index]

    @classmethod
    def __torch_function__(cls, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*_made(args), **_made(kwargs or {}))


def _made(part: Any) -> Any:
    """An argument with tensors in place of masks, also within lists, such as those that are joined."""
    if isinstance(part, LazyMask):
        return part.tensor()
    if isinstance(part, dict):
        return {name: _made(each) for name, each in part.items()}
    return type(part)(map(_made, part)) if type(part) in (list, tuple) else part


OPERATORS = "neg invert add radd sub rsub mul rmul truediv and or xor eq ne lt le gt ge"
for _operator in (f"__{name}__" for name in OPERATORS.split()):
    # Operators are looked up on the class, which __getattr__ does not reach.
    setattr(LazyMask, _operator, lambda self, *args, _name=_operator: getattr(self.tensor(), _name)(*args))
LazyMask.__hash__ = object.__hash__  # type: ignore[method-assign]  # lost with __eq__


@dataclass(frozen=True, eq=False)
class _Asked:
    """The answer of a mask function of transformers, for positions between `start` and `stop`; none are seen
    outside."""

    request: dict[str, Any]
    start: int
    stop: int

    def __call__(self, row: int, queries: Tensor, keys: Tensor) -> Tensor:
        from transformers.masking_utils import sdpa_mask

        held = (keys >= self.start) & (keys < self.stop)
        seen = torch.zeros(len(queries), len(keys), dtype=torch.bool, device=keys.device)
        if not held.any():
            return seen
        # The function is asked for keys of its own call alone: it may be a table of them.
        top, left, right = int(queries.min()), int(keys[held].min()), int(keys[held].max())
        whole = sdpa_mask(
            batch_size=self.request["batch_size"],
            q_length=int(queries.max()) - top + 1,
            kv_length=right - left + 1,
            q_offset=top,
            kv_offset=left,
            mask_function=self.request["mask_function"],
            allow_is_causal_skip=False,
            use_vmap=self.request.get("use_vmap", False),
            device=queries.device,
        )
        assert whole is not None  # only a skip gives None
        seen[:, held] = whole[row, 0][queries - top][:, keys[held] - left]
        return seen


@dataclass(frozen=True)
class Everything:
    """The answer of a call without a mask: all keys, or those up to the query's own place."""

    causal: bool = False

    def __call__(self, row: int, queries: Tensor, keys: Tensor) -> Tensor:
        if self.causal:
            return keys <= queries[:, None]
        return torch.ones(len(queries), len(keys), dtype=torch.bool, device=keys.device)


@dataclass(frozen=True, eq=False)
class Given:
    """The answer of a tensor [B or 1, 1, T or 1, S] that the model or its caller made: True where seen."""

    seen: Tensor
    first: int
    start: int = 0  # the position of the first key

    @classmethod
    def parted(cls, mask: Tensor, first: int, start: int = 0) -> tuple[Given, Tensor | None]:
        """A mask [B or 1, H or 1, T or 1, S], boolean or added to the scores, as what it hides; and itself where it
        does more.

        More is to differ between heads, to add numbers, and to hide all of a row by finite numbers: no key is hidden
        then, as a softmax over them gives each its part. Such a mask is returned as numbers to add, beside a rule that
        hides nothing.
        """
        seen = mask if mask.dtype == torch.bool else mask > HIDES
        plain = torch.equal(seen, seen[:, :1].expand_as(seen))
        if mask.dtype != torch.bool:
            somewhere = seen.any(-1) | (mask == -torch.inf).all(-1)
            plain = plain and bool(somewhere.all()) and not mask[seen].any()
        if plain:
            return cls(seen[:, :1], first, start), None
        if mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape, device=mask.device).masked_fill_(~mask, -torch.inf)
        return cls(torch.ones_like(seen[:1, :1, :1]), first, start), mask

    def __call__(self, row: int, queries: Tensor, keys: Tensor) -> Tensor:
        seen = self.seen[row if len(self.seen) > 1 else 0, 0]
        keys = keys - self.start
        inside = (keys >= 0) & (keys < seen.shape[1])
        rows = (queries - self.first) if len(seen) > 1 else torch.zeros_like(queries)
        return seen[rows][:, keys.clamp(0, seen.shape[1] - 1)] & inside


@dataclass(frozen=True, eq=False)
class Chosen:
    """The answer of another rule among the keys that an index names for each query, [B, T, K]."""

    inner: Answer
    indices: Tensor
    first: int

    def __call__(self, row: int, queries: Tensor, keys: Tensor) -> Tensor:
        named = self.indices[row, queries - self.first]  # [R, K]
        member = torch.stack([torch.isin(keys, one) for one in named])
        return self.inner(row, queries, keys) & member


@dataclass(frozen=True, eq=False)
class RowMask:
    """`AttentionMask.visible` of one row of a batch: calls after one another, and only the positions that are
    tokens."""

    rules: Sequence[Rule]
    row: int
    queries: Tensor  # positions of the queries that are tokens [T]
    keys: Tensor  # and of the keys [S]
    starts: tuple[int, ...] = ()

    def __call__(self, rows: Tensor, cols: Tensor) -> Tensor:
        asked, own = rows.device, self.queries.device
        rows, cols = self.queries[rows.to(own)], self.keys[cols.to(own)]
        seen = torch.zeros(len(rows), len(cols), dtype=torch.bool, device=own)
        if not len(rows) or not len(cols):
            return seen.to(asked)
        stops = (*self.starts[1:], int(self.queries.max()) + 1) if len(self.queries) else ()
        low, high = int(rows.min()), int(rows.max())
        for rule, start, stop in zip(self.rules, self.starts, stops):
            if start <= high and stop > low:
                mine = (rows >= start) & (rows < stop)
                if mine.any():
                    offset = rule.first - start  # cross attention counts its queries anew in each call
                    answer = rule.answer(self.row, rows[mine] + offset, cols)
                    seen[mine] = answer & (cols < rule.last)  # what later calls read was not there
        return seen.to(asked)


def recognised(visible: RowMask) -> AttentionMask:
    """The AttentionMask of a rule: causal and a window where it is exactly that, else with the rule itself.

    Every cell is compared, strip by strip. Nothing is read off the rule's code, which differs between models.
    """
    queries, keys = len(visible.queries), len(visible.keys)
    columns = torch.arange(keys, device=visible.queries.device)
    candidates = _candidates(visible, queries, columns)
    for rows in torch.arange(queries, device=columns.device).split(max(1, STRIP // max(1, keys))):
        seen, own = visible(rows, columns), rows + keys - queries
        candidates = [mask for mask in candidates if torch.equal(seen, _seen(mask, own, columns))]
        if not candidates:
            return AttentionMask(causal=False, visible=visible)
    return candidates[0]


def _candidates(visible: RowMask, queries: int, columns: Tensor) -> list[AttentionMask]:
    """Everything, everything up to the query, and either with the window that the last row shows."""
    found = [AttentionMask(causal=False)]
    if queries <= len(columns):
        found.append(AttentionMask())
    if queries == len(columns):
        window = int(visible(columns[-1:], columns).sum())
        if 0 < window < queries:
            found += [AttentionMask(window=window), AttentionMask(causal=False, window=window)]
    return found


def _seen(mask: AttentionMask, own: Tensor, columns: Tensor) -> Tensor:
    """What a mask of causal and window shows to queries at these positions, [R, C]."""
    distance = own[:, None] - columns
    seen = torch.ones_like(distance, dtype=torch.bool)
    if mask.causal:
        seen &= distance >= 0
    if mask.window is not None:
        seen &= distance.abs() < mask.window
    return seen
