"""Where a model keeps the keys and values of positions it has already read (003 section 4).

A cache is passed to `forward`, never stored on a module. Every kind answers the same two questions: where do the
next tokens stand, and what do these queries see? The paged kind is in `paging.py`.

Rotated keys (003 section 4.2, option A) are stored as RoPE turned them. Unrotated ones (option B) are turned again
whenever they are read, at more cost, so that another scale can apply to the whole past.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor

from . import kernels
from .errors import BadShape
from .trace import AttentionSpec

Rotate = Callable[[Tensor, Tensor], Tensor]  # keys [B, G, S, D] and where they stand, [S] or [B, S]


class KVCache(Protocol):
    """What a network needs of a cache."""

    rotated: bool  # whether keys come in turned by RoPE

    @property
    def length(self) -> int:
        """Positions every layer has read."""

    @property
    def nbytes(self) -> int:
        """Bytes really allocated for keys and values."""

    def where(self, count: int) -> Int[Tensor, " t"] | Int[Tensor, "b t"]:
        """Where the next `count` tokens stand: shared, or one line for each row of the batch."""

    def attend(
        self,
        layer: int,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g t d"],
        v: Float[Tensor, "b g t e"],
        spec: AttentionSpec,
        rotate: Rotate,
    ) -> tuple[Float[Tensor, "b h t e"], Float[Tensor, "b h t"]]:
        """Add new positions to one layer; returns what the new queries read from all of it, and their lse.

        `rotate` turns keys to where they stand; only a cache of unrotated keys calls it.
        """


class ContiguousCache:
    """Keys and values side by side in one buffer per layer, which doubles when it is full.

    Doubling copies each position a constant number of times on average, so a decode step
    does not copy the past.
    """

    def __init__(self, n_layers: int, reserve: int = 64, rotated: bool = True):
        self.rotated = rotated
        self._buffers: list[tuple[Tensor, ...] | None] = [None] * n_layers
        self._lengths = [0] * n_layers
        self._reserve = reserve

    @property
    def length(self) -> int:
        return self._lengths[-1]

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for parts in self._buffers if parts for part in parts)

    def where(self, count: int) -> Tensor:
        return torch.arange(self.length, self.length + count)

    def append(
        self, layer: int, k: Float[Tensor, "b g t d"], v: Float[Tensor, "b g t e"]
    ) -> tuple[Float[Tensor, "b g s d"], Float[Tensor, "b g s e"]]:
        """Add new positions to one layer; returns all keys and values so far, as they were stored."""
        return self._store(layer, (k, v))

    def attend(self, layer, q, k, v, spec, rotate):
        k, v = self.append(layer, k, v)
        if not self.rotated:
            k = rotate(k, torch.arange(k.shape[2]))
        return attend(q, k, v, spec)

    def _store(self, layer: int, parts: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        start = self._lengths[layer]
        stop = start + parts[0].shape[2]
        buffers = self._buffers[layer]
        if buffers is None or stop > buffers[0].shape[2]:
            capacity = max(stop, self._reserve, 0 if buffers is None else 2 * buffers[0].shape[2])
            buffers = tuple(_grow(new, old, start, capacity) for new, old in zip(parts, buffers or (None,) * len(parts)))
            self._buffers[layer] = buffers
        for buffer, new in zip(buffers, parts):
            buffer[:, :, start:stop] = new
        self._lengths[layer] = stop
        return tuple(buffer[:, :, :stop] for buffer in buffers)


class LatentCache(ContiguousCache):
    """What latent attention keeps: per token c_KV and the one rotated k^R, and nothing per head (000 section 3.2).

    The stored line is its own value: v is the leading part of k. With `absorbed` the layer moves its up-projections
    to the side of the query and the output; without, it makes every head's keys and values anew from all latents.
    """

    def __init__(self, n_layers: int, reserve: int = 64, rotated: bool = True, absorbed: bool = True):
        super().__init__(n_layers, reserve, rotated)
        self.absorbed = absorbed

    def append(self, layer, k, v):
        (k,) = self._store(layer, (k,))
        return k, k[..., : v.shape[-1]]

    def attend(self, layer, q, k, v, spec, rotate):
        size = v.shape[-1]
        k, _ = self.append(layer, k, v)
        if not self.rotated:
            k = rotate(k, torch.arange(k.shape[2]))
        return attend(q, k, k[..., :size], spec)


class SlidingCache:
    """The last `window` positions in a ring, and before them the first `sinks` positions, which stay for ever.

    It decides what is seen, in place of a window of the model's own. Without sinks it gives what a sliding window
    gives. With them (Xiao et al. 2024) unrotated keys are turned to their
    place in the cache instead of the text, so that no position passes the cache's size however long the text grows.
    Raises BadShape for a window below 1, and for ALiBi or relative positions beside sinks: distances would have a gap.
    """

    def __init__(self, n_layers: int, window: int, sinks: int = 0, rotated: bool = True):
        if window < 1 or sinks < 0:
            raise BadShape(f"A window of {window} with {sinks} sinks holds no token to read; use 1 or more, and 0 or more sinks.")
        self.rotated, self.window, self.sinks = rotated, window, sinks
        self._buffers: list[tuple[Tensor, Tensor] | None] = [None] * n_layers
        self._lengths = [0] * n_layers

    @property
    def length(self) -> int:
        return self._lengths[-1]

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for pair in self._buffers if pair for part in pair)

    @property
    def renumbers(self) -> bool:
        """Whether positions count places in the cache, not in the text."""
        return bool(self.sinks) and not self.rotated

    def where(self, count: int) -> Tensor:
        where = torch.arange(self.length, self.length + count)
        return where.clamp(max=self.window + self.sinks - 1) if self.renumbers else where

    def attend(self, layer, q, k, v, spec, rotate):
        if self.sinks and (spec.slopes is not None or spec.relative is not None):
            raise BadShape("Sinks leave a gap in the distances that ALiBi and relative positions need; use 0 sinks.")
        if self._buffers[layer] is None:
            size = self.window + self.sinks
            self._buffers[layer] = tuple(part.new_empty(*part.shape[:2], size, part.shape[3]) for part in (k, v))
        if q.shape[2] > 1 and not self.sinks:
            return self._prompt(layer, q, k, v, spec, rotate)
        # One query at a time: each sees another part of the ring, and the sinks.
        steps = [self._step(layer, *(part[:, :, t : t + 1] for part in (q, k, v)), spec, rotate) for t in range(q.shape[2])]
        out, lse = zip(*steps)
        return torch.cat(out, 2), torch.cat(lse, 2)

    def _prompt(self, layer, q, k, v, spec, rotate):
        """Several queries: what the ring holds in order, and the new keys behind it, under a window."""
        now, window = self._lengths[layer], self.window
        past = torch.arange(max(0, now - window), now) % window
        keys, values = (torch.cat((ring[:, :, past], new), 2) for ring, new in zip(self._buffers[layer], (k, v)))
        stop = now + k.shape[2]
        kept = torch.arange(max(now, stop - window), stop)
        for ring, new in zip(self._buffers[layer], (k, v)):
            ring[:, :, kept % window] = new[:, :, kept - now]
        self._lengths[layer] = stop
        if not self.rotated:
            keys = rotate(keys, torch.arange(stop - keys.shape[2], stop))
        return kernels.attention(q, keys, values, **{**spec.kwargs(), "window": window})

    def _step(self, layer, q, k, v, spec, rotate):
        now = self._lengths[layer]
        slot = now if now < self.sinks else self.sinks + (now - self.sinks) % self.window
        for buffer, new in zip(self._buffers[layer], (k, v)):
            buffer[:, :, slot : slot + 1] = new
        self._lengths[layer] = now + 1
        held = min(now + 1, self.window + self.sinks)
        k, v = (buffer[:, :, :held] for buffer in self._buffers[layer])
        # A sum over keys has no order: the ring is read as it lies, unless a bias or a rotation asks who stands where.
        if not self.rotated or spec.slopes is not None or spec.relative is not None:
            first = slot + 1 - self.sinks if now >= self.window + self.sinks else 0
            start = min(self.sinks, held)
            order = torch.cat((torch.arange(start), torch.arange(start, held).roll(-first)))
            k, v = k[:, :, order], v[:, :, order]
        if not self.rotated:
            where = torch.arange(held)
            k = rotate(k, where if self.renumbers else where + now + 1 - held)
        return kernels.decode_attention(q, k, v, scale=spec.scale, slopes=spec.slopes, relative=spec.relative)


def attend(q: Tensor, k: Tensor, v: Tensor, spec: AttentionSpec) -> tuple[Tensor, Tensor]:
    """What the last T of S positions read, [B, H, T, E], and their lse: one query by the decoding kernel."""
    options = spec.kwargs()
    if q.shape[2] > 1:
        return kernels.attention(q, k, v, **options)
    del options["causal"]  # the query is the last of the positions
    return kernels.decode_attention(q, k, v, **options)


def _grow(like: Tensor, old: Tensor | None, used: int, capacity: int) -> Tensor:
    buffer = like.new_empty(*like.shape[:2], capacity, like.shape[3])
    if old is not None:
        buffer[:, :, :used] = old[:, :, :used]
    return buffer
