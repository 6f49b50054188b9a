"""A ring of the last positions, with or without sinks: memory that does not grow with the text."""

from __future__ import annotations

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from .. import kernels
from ..errors import BadShape
from ..tracing.trace import AttentionSpec
from .buffers import Buffers
from .protocol import Rotate


class SlidingCache(Buffers):
    """The last `window` positions in a ring, and before them the first `sinks` positions, which stay for ever.

    It decides what is seen, in place of a window of the model's own. Without sinks it gives what a sliding window
    gives. With them (Xiao et al. 2024) unrotated keys are turned to their
    place in the cache instead of the text, so that no position passes the cache's size however long the text grows.
    Raises BadShape for a window below 1, and for ALiBi or relative positions beside sinks: distances would have a gap.
    """

    def __init__(self, n_layers: int, window: int, sinks: int = 0, rotated: bool = True):
        if window < 1 or sinks < 0:
            raise BadShape(
                f"A window of {window} with {sinks} sinks holds no token to read; use 1 or more, and 0 or more sinks."
            )
        super().__init__(n_layers, rotated)
        self.window, self.sinks = window, sinks

    @property
    def renumbers(self) -> bool:
        """Whether positions count places in the cache, not in the text."""
        return bool(self.sinks) and not self.rotated

    def position_ids(self, count: int) -> Tensor:
        position_ids = torch.arange(self.length, self.length + count)
        return position_ids.clamp(max=self.window + self.sinks - 1) if self.renumbers else position_ids

    def attend(
        self,
        layer: int,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g t d"],
        v: Float[Tensor, "b g t e"],
        spec: AttentionSpec,
        rotate: Rotate,
    ) -> tuple[Tensor, Tensor]:
        if self.sinks and (spec.mask.slopes is not None or spec.mask.relative is not None):
            raise BadShape("Sinks leave a gap in the distances that ALiBi and relative positions need; use 0 sinks.")
        if q.shape[2] > 1 and not self.sinks:
            return self._prompt(layer, q, k, v, spec, rotate)
        # One query at a time: each sees another part of the ring, and the sinks.
        steps = [
            self._step(layer, q[:, :, at], k[:, :, at], v[:, :, at], spec, rotate)
            for at in (slice(t, t + 1) for t in range(q.shape[2]))
        ]
        out, lse = zip(*steps)
        return torch.cat(out, 2), torch.cat(lse, 2)

    def _rings(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        """One layer's ring of keys and ring of values, made at its first new positions."""
        rings = self._buffers[layer]
        if rings is None:
            size = self.window + self.sinks
            rings = tuple(part.new_empty(*part.shape[:2], size, part.shape[3]) for part in (k, v))
            self._buffers[layer] = rings
        return rings

    def _prompt(
        self, layer: int, q: Tensor, k: Tensor, v: Tensor, spec: AttentionSpec, rotate: Rotate
    ) -> tuple[Tensor, Tensor]:
        """Several queries: what the ring holds in order, and the new keys behind it, under a window."""
        now, window, rings = self._lengths[layer], self.window, self._rings(layer, k, v)
        past = torch.arange(max(0, now - window), now) % window
        keys, values = (torch.cat((ring[:, :, past], new), 2) for ring, new in zip(rings, (k, v)))
        stop = now + k.shape[2]
        kept = torch.arange(max(now, stop - window), stop)
        for ring, new in zip(rings, (k, v)):
            ring[:, :, kept % window] = new[:, :, kept - now]
        self._lengths[layer] = stop
        if not self.rotated:
            keys = rotate(keys, torch.arange(stop - keys.shape[2], stop))
        return kernels.attention(q, keys, values, replace(spec.mask, window=window), scale=spec.scale)

    def _step(
        self, layer: int, q: Tensor, k: Tensor, v: Tensor, spec: AttentionSpec, rotate: Rotate
    ) -> tuple[Tensor, Tensor]:
        now, rings = self._lengths[layer], self._rings(layer, k, v)
        slot = now if now < self.sinks else self.sinks + (now - self.sinks) % self.window
        for ring, new in zip(rings, (k, v)):
            ring[:, :, slot : slot + 1] = new
        self._lengths[layer] = now + 1
        held = min(now + 1, self.window + self.sinks)
        k, v = (ring[:, :, :held] for ring in rings)
        # A sum over keys has no order: the ring is read as it lies, unless a bias or a rotation asks who stands where.
        if not self.rotated or spec.mask.slopes is not None or spec.mask.relative is not None:
            first = slot + 1 - self.sinks if now >= self.window + self.sinks else 0
            start = min(self.sinks, held)
            order = torch.cat((torch.arange(start), torch.arange(start, held).roll(-first)))
            k, v = k[:, :, order], v[:, :, order]
        if not self.rotated:
            position_ids = torch.arange(held)
            k = rotate(k, position_ids if self.renumbers else position_ids + now + 1 - held)
        return kernels.decode_attention(q, k, v, replace(spec.mask, window=None), scale=spec.scale)
