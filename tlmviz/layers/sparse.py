"""Sparse attention: which keys a query may see, one small class per pattern, and attention under any of them.

Every pattern is causal and lets a token see itself, so no row is empty. A tile of a mask is made when it is
needed; the T x T mask is never formed. "Strategies to Mitigate Inefficiency" (001) names the idea; 003 section 4
the sliding window and the pages; each class its paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from .. import kernels
from ..errors import BadShape
from ..kernels.mask import CAUSAL, AttentionMask, build_mask

# [R] positions of queries and [C] of keys to the cells they see: [R, C], or [H, R, C] where heads differ.
Tile = Callable[[Int[Tensor, " r"], Int[Tensor, " c"]], Bool[Tensor, "*h r c"]]
STRIP = 2**21  # scores alive at once, in all heads together: 8 MB


@dataclass(frozen=True)
class SparsePattern:
    """Full causal attention, and the base of every pattern. Settings are whole numbers of 1 or more; seeds of 0 or
    more."""

    name: ClassVar[str] = "Full"

    def __post_init__(self) -> None:
        for field in fields(self):
            value, least = getattr(self, field.name), int(field.name != "seed")
            if value < least:
                raise BadShape(
                    f"{self.name}: {field.name} is {value}; give {least} or more, a query must see at least itself."
                )

    def tile(self, rows: Int[Tensor, " r"], cols: Int[Tensor, " c"]) -> Bool[Tensor, "r c"]:
        """Which of the keys at `cols` the queries at `rows` see."""
        return _back(rows, cols) >= 0

    def on(self, q: Float[Tensor, "b h t d"], k: Float[Tensor, "b g t d"]) -> Tile:
        """`tile` for one text: patterns that look at q and k, or draw at random, do so here."""
        return self.tile

    def seen(self, at: Int[Tensor, " t"], reach: Int[Tensor, " t"]) -> Int[Tensor, " t"] | None:
        """How many of the last `reach` tokens, its own included, the query at each position sees: by formula, no mask
        is made.

        None for patterns that look at q and k or draw at random: their cells must be counted.
        """
        return reach

    def cached(self, length: int) -> int:
        """Keys (and values) per head that must be kept to decode the token after `length` others."""
        return length

    def overhead(self, width: int) -> int:
        """Operations per token and head that choose the cells, for vectors of D = `width`."""
        return 0


@dataclass(frozen=True)
class Window(SparsePattern):
    """The last `window` tokens, the query's own included (003 section 4.4)."""

    name: ClassVar[str] = "Sliding window"
    window: int = 256

    def tile(self, rows: Tensor, cols: Tensor) -> Tensor:
        back = _back(rows, cols)
        return (back >= 0) & (back < self.window)

    def seen(self, at: Tensor, reach: Tensor) -> Tensor:
        return reach.clamp(max=self.window)

    def cached(self, length: int) -> int:
        return min(length, self.window)


@dataclass(frozen=True)
class Blocks(SparsePattern):
    """Keys of the query's own block of `size` tokens: what 003 section 4.3 calls attending within a page."""

    name: ClassVar[str] = "Block-local"
    size: int = 256

    def tile(self, rows: Tensor, cols: Tensor) -> Tensor:
        return (_back(rows, cols) >= 0) & (rows[:, None] // self.size == cols // self.size)

    def seen(self, at: Tensor, reach: Tensor) -> Tensor:
        return torch.minimum(reach, at % self.size + 1)

    def cached(self, length: int) -> int:
        return min(length, self.size)


@dataclass(frozen=True)
class Longformer(SparsePattern):
    """A window, and the `first` tokens of the text for everyone (Beltagy et al. 2020: window and global tokens)."""

    name: ClassVar[str] = "Longformer"
    window: int = 256
    first: int = 4

    def tile(self, rows: Tensor, cols: Tensor) -> Tensor:
        back = _back(rows, cols)
        return (back >= 0) & ((back < self.window) | (cols < self.first))

    def seen(self, at: Tensor, reach: Tensor) -> Tensor:
        oldest = at - reach + 1  # the first token within reach
        before = torch.clamp(at - self.window + 1, max=self.first)  # global tokens that the window has left
        return reach.clamp(max=self.window) + (before - oldest).clamp(min=0)

    def cached(self, length: int) -> int:
        return min(length, self.window + self.first)


@dataclass(frozen=True)
class BigBird(SparsePattern):
    """Longformer's cells, and `random` more keys per query drawn from its past (Zaheer et al. 2020; here by token, not
    block).

    A later query may draw any old key, so a cache can drop none.
    """

    name: ClassVar[str] = "BigBird"
    window: int = 256
    first: int = 4
    random: int = 16
    seed: int = 0

    def seen(self, at: Tensor, reach: Tensor) -> None:
        return None

    def on(self, q: Tensor, k: Tensor) -> Tile:
        generator = torch.Generator().manual_seed(self.seed)
        own = torch.arange(q.shape[2])[:, None]
        # [T, random].
        drawn = (torch.rand(len(own), self.random, generator=generator) * (own + 1)).long().clamp(max=own)
        near = Longformer(self.window, self.first)

        def tile(rows: Tensor, cols: Tensor) -> Tensor:
            far = torch.zeros(len(rows), len(own), dtype=torch.bool).scatter_(1, drawn[rows], True)
            return near.tile(rows, cols) | far[:, cols]

        return tile


@dataclass(frozen=True)
class Strided(SparsePattern):
    """The last `stride` tokens and every `stride`-th before them (Child et al. 2019, strided attention)."""

    name: ClassVar[str] = "Strided"
    stride: int = 64

    def tile(self, rows: Tensor, cols: Tensor) -> Tensor:
        back = _back(rows, cols)
        return (back >= 0) & ((back < self.stride) | (back % self.stride == 0))

    def seen(self, at: Tensor, reach: Tensor) -> Tensor:
        return reach.clamp(max=self.stride) + (reach - 1) // self.stride


@dataclass(frozen=True)
class Dilated(SparsePattern):
    """A window with holes: `window` keys, each `gap` tokens before the next (Beltagy et al. 2020, dilated window)."""

    name: ClassVar[str] = "Dilated window"
    window: int = 256
    gap: int = 4

    def tile(self, rows: Tensor, cols: Tensor) -> Tensor:
        back = _back(rows, cols)
        return (back >= 0) & (back < self.window * self.gap) & (back % self.gap == 0)

    def seen(self, at: Tensor, reach: Tensor) -> Tensor:
        return (reach.clamp(max=self.window * self.gap) - 1) // self.gap + 1

    def cached(self, length: int) -> int:
        return min(length, self.window * self.gap)


@dataclass(frozen=True)
class Hashed(SparsePattern):
    """Keys that fall into the query's bucket in any of `rounds` random rotations (Reformer, Kitaev et al. 2020).

    The bucket is the argmax of [xR; -xR], for x normalised and R [D, buckets / 2] normal. The paper trains
    shared queries and keys, sorts by bucket and cuts chunks of equal size; here q and k are the model's own and
    a bucket is as large as it happens to be.
    """

    name: ClassVar[str] = "LSH buckets"
    buckets: int = 16
    rounds: int = 2
    seed: int = 0

    def seen(self, at: Tensor, reach: Tensor) -> None:
        return None

    def on(self, q: Tensor, k: Tensor) -> Tile:
        generator = torch.Generator().manual_seed(self.seed)
        rotations = torch.randn(self.rounds, q.shape[-1], self._half(), generator=generator)
        k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
        of_q, of_k = (self._bucket(x[0], rotations) for x in (q, k))  # [H, T, rounds]

        def tile(rows: Tensor, cols: Tensor) -> Tensor:
            same = torch.zeros(q.shape[1], len(rows), len(cols), dtype=torch.bool)
            for one_q, one_k in zip(of_q[:, rows].unbind(-1), of_k[:, cols].unbind(-1)):
                same |= one_q[:, :, None] == one_k[:, None]
            back = _back(rows, cols)
            return (back == 0) | ((back > 0) & same)

        return tile

    def overhead(self, width: int) -> int:
        return 2 * self.rounds * 2 * width * self._half()

    def _half(self) -> int:
        return max(1, self.buckets // 2)

    def _bucket(self, x: Tensor, rotations: Tensor) -> Tensor:
        unit = torch.nn.functional.normalize(x.float(), dim=-1)
        sides = torch.einsum("htd,rdb->htrb", unit, rotations)
        return torch.cat((sides, -sides), -1).argmax(-1) if self.buckets > 1 else sides.new_zeros(sides.shape[:-1])


def attend(
    q: Float[Tensor, "1 h t d"],
    k: Float[Tensor, "1 g t d"],
    v: Float[Tensor, "1 g t e"],
    pattern: SparsePattern,
    rows: slice = slice(None),
    mask: AttentionMask = CAUSAL,
    *,
    scale: float | None = None,
    **parts: Any,
) -> tuple[Float[Tensor, "1 h r e"], Float[Tensor, "1 h r"], Float[Tensor, "h r"]]:
    """Softmax attention of some queries under a pattern: outputs, log-sum-exp, and how many keys each query sees.

    `mask` (or its fields as `parts`) and `scale` are the model's own, which stay in force. The mass that the pattern
    keeps of the full softmax is exp(lse - full lse). Every cell is computed and hidden ones are dropped, strip by
    strip: this shows what a pattern does, not how fast a kernel for it would be.
    """
    tile, heads = pattern.on(q, k), q.shape[1]
    mask = build_mask(mask, parts)
    v = v.repeat_interleave(heads // v.shape[1], 1)
    outs, lses, seen = [], [], []
    for part, strip in strips(q, rows):
        stop = int(strip[-1]) + 1  # later keys are hidden from all of these queries
        scores = kernels.attention_scores(q, k, mask, rows=part, cols=slice(0, stop), scale=scale)
        scores = scores.masked_fill(~tile(strip, torch.arange(stop)), -torch.inf)
        lse = scores.logsumexp(-1)
        lses.append(lse if mask.sinks is None else torch.logaddexp(lse, mask.sinks[:, None]))
        seen.append(torch.isfinite(scores[0]).sum(-1).float())
        outs.append((scores - lses[-1][..., None]).exp() @ v[:, :, :stop])
    return torch.cat(outs, 2), torch.cat(lses, 2), torch.cat(seen, 1)


def strips(q: Float[Tensor, "b h t d"], rows: slice = slice(None)) -> Iterator[tuple[slice, Tensor]]:
    """Rows in parts whose scores fill at most STRIP cells: each as a slice of the text, and as positions [R]."""
    every = range(q.shape[2])[rows]
    size = max(1, STRIP // (q.shape[1] * q.shape[2]))
    for start in range(0, len(every), size):
        part = every[start : start + size]
        yield slice(part.start, part.stop, part.step), torch.tensor(part)


def _back(rows: Tensor, cols: Tensor) -> Tensor:
    """Tokens from each query back to each key, [R, C]."""
    return rows[:, None] - cols
