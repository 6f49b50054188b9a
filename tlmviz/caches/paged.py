"""The paged cache (003 section 4.3; Kwon et al. 2023): fixed pages from one pool, found through block tables.

A block table maps a request's logical pages to physical ones, and attention still sees every cached token. (The
notes' "attend within page" is a block-local mask, which is another thing.) Requests that begin alike share pages,
and a shared page is copied before one of them writes to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .. import kernels
from ..config import ModelConfig
from ..errors import BadShape, OutOfPages
from ..tracing.trace import AttentionSpec
from .protocol import Rotate, attend


class PagePool:
    """Physical pages of all layers, allocated once: keys [L, pages, G, page, D], values [L, pages, G, page, E].

    `page` counts positions. A page is free, or held by one or more requests (`holders`). Raises BadShape for
    a page or a pool of no size; `take` raises OutOfPages when none is free.
    """

    def __init__(self, n_layers: int, groups: int, key_dim: int, value_dim: int, page: int = 16, pages: int = 64):
        if page < 1 or pages < 1:
            raise BadShape(
                f"{pages} pages of {page} positions hold nothing; use at least 1 page of at least 1 position."
            )
        self.page, self.pages = page, pages
        self.k = torch.zeros(n_layers, pages, groups, page, key_dim)
        self.v = torch.zeros(n_layers, pages, groups, page, value_dim)
        self.holders = [0] * pages
        self.copies = 0  # pages copied before a write, so far
        self._free = list(range(pages))[::-1]

    def to(self, device: torch.device) -> None:
        """Bring the pages to a device; where they are there already, nothing moves."""
        self.k, self.v = self.k.to(device), self.v.to(device)

    @classmethod
    def of(cls, config: ModelConfig, page: int = 16, pages: int = 64) -> PagePool:
        """An empty pool that fits a model: of latent attention it keeps the latents, as one key and one value head."""
        if config.attention.latent_dim is None:
            return cls(config.n_layers, config.n_kv_heads, config.head_dim, config.head_dim, page, pages)
        rank, rope_dim = config.attention.latent_dim, config.attention.rope_dim
        return cls(config.n_layers, 1, rank + rope_dim, rank, page, pages)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole pool."""
        return self.k.nbytes + self.v.nbytes

    @property
    def page_nbytes(self) -> int:
        """Bytes of one page in all layers."""
        return self.nbytes // self.pages

    @property
    def free(self) -> int:
        """Pages nobody holds."""
        return len(self._free)

    def take(self) -> int:
        """The number of a page that was free, now held once."""
        if not self._free:
            raise OutOfPages(
                f"All {self.pages} pages of {self.page} positions are held; release a request or give more pages."
            )
        number = self._free.pop()
        self.holders[number] = 1
        return number

    def share(self, number: int) -> int:
        """The same page, held once more."""
        self.holders[number] += 1
        return number

    def release(self, number: int) -> None:
        """One holder less; the last one frees the page."""
        self.holders[number] -= 1
        if not self.holders[number]:
            self._free.append(number)

    def copy(self, number: int) -> int:
        """A free page with the same contents, in place of one holder of the old."""
        new = self.take()
        self.k[:, new], self.v[:, new] = self.k[:, number], self.v[:, number]
        self.release(number)
        self.copies += 1
        return new


@dataclass
class Sequence:
    """One request's block table, and how many positions of it are written."""

    pool: PagePool
    table: list[int] = field(default_factory=list)
    length: int = 0

    def fork(self) -> Sequence:
        """A request with the same past, on the same pages."""
        return self.prefix(self.length)

    def prefix(self, length: int) -> Sequence:
        """A request that begins with this one's first `length` positions, on the same pages."""
        length = min(length, self.length)
        used = -(-length // self.pool.page)
        return Sequence(self.pool, [self.pool.share(number) for number in self.table[:used]], length)

    def missing(self, count: int) -> int:
        """Free pages that `count` more positions would take, copies of shared ones included."""
        pages = -(-(self.length + count) // self.pool.page)
        return max(0, pages - len(self.table)) + len(self._writes_to_shared(count))

    def reserve(self, count: int) -> None:
        """Pages for `count` more positions, none of them shared where it is written. Raises OutOfPages, changing
        nothing."""
        lacking = self.missing(count)
        if lacking > self.pool.free:
            raise OutOfPages(
                f"{count} more positions need {lacking} free pages, and {self.pool.free} of {self.pool.pages} are "
                "free; release a request or give more pages."
            )
        for place in self._writes_to_shared(count):
            self.table[place] = self.pool.copy(self.table[place])
        while len(self.table) * self.pool.page < self.length + count:
            self.table.append(self.pool.take())

    def release(self) -> None:
        """Give all pages back."""
        for number in self.table:
            self.pool.release(number)
        self.table, self.length = [], 0

    def _writes_to_shared(self, count: int) -> list[int]:
        """Places in the table that the next `count` positions fall on and that others hold too."""
        page = self.pool.page
        first, stop = self.length // page, -(-(self.length + count) // page) if count else 0
        return [place for place in range(first, min(stop, len(self.table))) if self.pool.holders[self.table[place]] > 1]


class PagedCache:
    """A KVCache over the sequences of one batch, a row each; their lengths may differ.

    It holds no memory of its own: `nbytes` is that of the pages its sequences hold, a shared one counted once.
    Every pass adds the same number of positions to every row. Keys are stored rotated.
    """

    rotated = True

    def __init__(self, *sequences: Sequence):
        if not sequences:
            raise BadShape("There is no sequence to cache; give at least one.")
        self.sequences = sequences
        self.pool = sequences[0].pool

    @property
    def length(self) -> int:
        return max(sequence.length for sequence in self.sequences)

    @property
    def nbytes(self) -> int:
        return self.pool.page_nbytes * len({number for sequence in self.sequences for number in sequence.table})

    def position_ids(self, count: int) -> Int[Tensor, "b t"]:
        starts = torch.tensor([sequence.length for sequence in self.sequences])
        return starts[:, None] + torch.arange(count)

    def attend(
        self,
        layer: int,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g t d"],
        v: Float[Tensor, "b g t e"],
        spec: AttentionSpec,
        rotate: Rotate,
    ) -> tuple[Tensor, Tensor]:
        count, pool, last = k.shape[2], self.pool, layer == len(self.pool.k) - 1
        if layer == 0:
            pool.to(k.device)
            for sequence in self.sequences:
                sequence.reserve(count)
            self._places = self._placed(count, k.device)
        table, pages, slots, lengths = self._places
        pool.k[layer][pages, :, slots] = k.transpose(1, 2)
        pool.v[layer][pages, :, slots] = v.transpose(1, 2)
        if last:
            for sequence in self.sequences:
                sequence.length += count
        if count == 1:
            mask = replace(spec.mask, lengths=lengths)
            return kernels.decode_attention(q, pool.k[layer], pool.v[layer], mask, table=table, scale=spec.scale)
        # Several queries at once are a prompt: each row reads its own pages in order.
        rows = [
            self._prompt(layer, row, q[row : row + 1], table[row], int(lengths[row]), spec) for row in range(len(q))
        ]
        out, lse = zip(*rows)
        return torch.cat(out), torch.cat(lse)

    def _placed(self, count: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Where all layers of a pass write and read: tables [B, N], pages and slots of the new positions [B, T],
        lengths [B]."""
        widest = max(len(sequence.table) for sequence in self.sequences)
        rows = [sequence.table + [-1] * (widest - len(sequence.table)) for sequence in self.sequences]
        table, position_ids = torch.tensor(rows, device=device), self.position_ids(count).to(device)
        pages, slots = table.gather(1, position_ids // self.pool.page), position_ids % self.pool.page
        return table, pages, slots, position_ids[:, -1] + 1

    def _prompt(
        self, layer: int, row: int, q: Tensor, table: Tensor, length: int, spec: AttentionSpec
    ) -> tuple[Tensor, Tensor]:
        used = table[: -(-length // self.pool.page)]
        k, v = (
            store[layer][used].transpose(0, 1).flatten(1, 2)[None, :, :length] for store in (self.pool.k, self.pool.v)
        )
        return attend(q, k, v, spec)
