"""Where a model keeps the keys and values of positions it has already read."""

from __future__ import annotations

from typing import Protocol

from jaxtyping import Float
from torch import Tensor


class KVCache(Protocol):
    """What attention needs of a cache. Caches are passed to `forward`, never stored on modules."""

    @property
    def length(self) -> int:
        """Positions every layer has read."""

    @property
    def nbytes(self) -> int:
        """Bytes really allocated for keys and values."""

    def append(
        self, layer: int, k: Float[Tensor, "b g t d"], v: Float[Tensor, "b g t d"]
    ) -> tuple[Float[Tensor, "b g s d"], Float[Tensor, "b g s d"]]:
        """Add new positions to one layer; returns all keys and values so far."""


class ContiguousCache:
    """Keys and values side by side in one buffer per layer, which doubles when it is full.

    Doubling copies each position a constant number of times on average, so a decode step
    does not copy the past.
    """

    def __init__(self, n_layers: int, reserve: int = 64):
        self._buffers: list[tuple[Tensor, Tensor] | None] = [None] * n_layers
        self._lengths = [0] * n_layers
        self._reserve = reserve

    @property
    def length(self) -> int:
        return self._lengths[-1]

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for pair in self._buffers if pair for part in pair)

    def append(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        start = self._lengths[layer]
        stop = start + k.shape[2]
        buffers = self._buffers[layer]
        if buffers is None or stop > buffers[0].shape[2]:
            capacity = max(stop, self._reserve, 0 if buffers is None else 2 * buffers[0].shape[2])
            buffers = tuple(_grow(new, old, start, capacity) for new, old in zip((k, v), buffers or (None, None)))
            self._buffers[layer] = buffers
        for buffer, new in zip(buffers, (k, v)):
            buffer[:, :, start:stop] = new
        self._lengths[layer] = stop
        return buffers[0][:, :, :stop], buffers[1][:, :, :stop]


def _grow(like: Tensor, old: Tensor | None, used: int, capacity: int) -> Tensor:
    buffer = like.new_empty(*like.shape[:2], capacity, like.shape[3])
    if old is not None:
        buffer[:, :, :used] = old[:, :, :used]
    return buffer
