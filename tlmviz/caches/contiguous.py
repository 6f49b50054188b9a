"""One buffer per layer, which grows with the text."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from ..tracing.trace import AttentionSpec
from .buffers import Buffers
from .protocol import Rotate, attend


class ContiguousCache(Buffers):
    """Keys and values side by side in one buffer per layer, which doubles when it is full.

    Doubling copies each position a constant number of times on average, so a decode step
    does not copy the past.
    """

    def __init__(self, n_layers: int, reserve: int = 64, rotated: bool = True):
        super().__init__(n_layers, rotated)
        self._reserve = reserve

    def position_ids(self, count: int) -> Tensor:
        return torch.arange(self.length, self.length + count)

    def append(
        self, layer: int, k: Float[Tensor, "b g t d"], v: Float[Tensor, "b g t e"]
    ) -> tuple[Float[Tensor, "b g s d"], Float[Tensor, "b g s e"]]:
        """Add new positions to one layer; returns all keys and values so far, as they were stored."""
        keys, values = self._store(layer, (k, v))
        return keys, values

    def cut(self, length: int) -> None:
        """Forget every position from `length` on; the next ones take their place."""
        self._lengths = [min(length, held) for held in self._lengths]

    def attend(
        self,
        layer: int,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g t d"],
        v: Float[Tensor, "b g t e"],
        spec: AttentionSpec,
        rotate: Rotate,
    ) -> tuple[Tensor, Tensor]:
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
            buffers = tuple(
                _grow(new, old, start, capacity) for new, old in zip(parts, buffers or (None,) * len(parts))
            )
            self._buffers[layer] = buffers
        for buffer, new in zip(buffers, parts):
            buffer[:, :, start:stop] = new
        self._lengths[layer] = stop
        return tuple(buffer[:, :, :stop] for buffer in buffers)


def _grow(like: Tensor, old: Tensor | None, used: int, capacity: int) -> Tensor:
    buffer = like.new_empty(*like.shape[:2], capacity, like.shape[3])
    if old is not None:
        buffer[:, :, :used] = old[:, :, :used]
    return buffer
