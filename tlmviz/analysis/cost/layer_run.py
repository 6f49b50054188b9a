"""One Transformer layer in plain torch, part by part: what `layer.bill` says of it, counted and timed.

On the device "meta" nothing is computed and everything is counted, at any size; on the CPU it takes its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from .layer import PARTS, Sizes, bill

DTYPES = {4: torch.float32, 2: torch.bfloat16, 1: torch.float8_e4m3fn}
MOST_OPERATIONS = 2e10  # timed of one layer: about a third of a second on two cores
MOST_BYTES = 6e8  # of weights and activations of a part that is timed
ROUNDS = 3
LONG, REPEATS = 0.05, 5  # a part runs until it has taken so many seconds, or so often


class PlainLayer:
    """The parts of a layer in turn: each makes its weights, computes, and returns what it wrote. No norms, no masks, no
    biases.

    Weights are all alike: neither counts nor times depend on their values.
    """

    def __init__(self, sizes: Sizes, device: str = "meta", dtype: torch.dtype = torch.float32):
        self.sizes, self.device, self.dtype = sizes, device, dtype
        self.x = self._filled(sizes.batch, sizes.n, sizes.d)
        self.weights: dict[str, tuple[Tensor, ...]] = {}

    def _filled(self, *shape: int) -> Tensor:
        return torch.full(shape, shape[-1] ** -0.5, device=self.device, dtype=self.dtype)

    def prepare(self, part: str) -> None:
        """Make the weights of a part; those of the part before are let go."""
        s, w = self.sizes, self.sizes.width
        shapes = {
            "projections": [(s.d, s.h * w), (s.d, s.g * w), (s.d, s.g * w)],
            "output": [(s.h * w, s.d)],
            "ffn": [(s.d, s.f)] * (2 if s.gated else 1) + [(s.f, s.d)],
        }
        self.weights = {part: tuple(self._filled(*shape) for shape in shapes.get(part, ()))}

    def work(self, part: str) -> tuple[Tensor, ...]:
        """Compute a part; returns the tensors that it writes."""
        return getattr(self, f"_{part}")()

    def _projections(self) -> tuple[Tensor, ...]:
        self.q, self.k, self.v = (self.x @ weight for weight in self.weights["projections"])
        return self.q, self.k, self.v

    def _scores(self) -> tuple[Tensor, ...]:
        heads, keys = self._split(self.q, self.sizes.h), self._split(self.k, self.sizes.g)
        self.maps = heads @ self._shared(keys).transpose(-1, -2)  # [B, h, n, n]
        return (self.maps,)

    def _softmax(self) -> tuple[Tensor, ...]:
        self.maps = F.softmax(self.maps, -1)
        return (self.maps,)

    def _sum(self) -> tuple[Tensor, ...]:
        self.mixed = self.maps @ self._shared(self._split(self.v, self.sizes.g))  # [B, h, n, D]
        return (self.mixed,)

    def _output(self) -> tuple[Tensor, ...]:
        return (self.mixed.transpose(1, 2).flatten(2) @ self.weights["output"][0],)

    def _ffn(self) -> tuple[Tensor, ...]:
        *ups, down = self.weights["ffn"]
        inner = [self.x @ up for up in ups]
        written = [*inner, F.silu(inner[0])]
        if self.sizes.gated:
            written.append(written[-1] * inner[1])
        return (*written, written[-1] @ down)

    def _split(self, x: Tensor, heads: int) -> Tensor:
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)  # [B, heads, n, D]

    def _shared(self, x: Tensor) -> Tensor:
        """Each key/value head once for every query head that reads it."""
        return x.repeat_interleave(self.sizes.h // self.sizes.g, 1) if self.sizes.h > self.sizes.g else x


@dataclass(frozen=True)
class Counted:
    """Of one part by torch's own counters: operations of its products, bytes of its weights and of what it writes."""

    operations: int
    weights: int
    written: int


def count(sizes: Sizes) -> dict[str, Counted]:
    """Every part, on the device "meta": FlopCounterMode, and `nbytes` of every tensor."""
    found = {}
    # FP8 has no products of its own in torch: they are counted in 16 bits, and the bytes halved.
    dtype = DTYPES[max(2, sizes.bytes)]
    share = dtype.itemsize // sizes.bytes
    layer = PlainLayer(sizes, dtype=dtype)
    for part in PARTS:
        layer.prepare(part)
        with FlopCounterMode(display=False) as counter:
            written = layer.work(part)
        weights = sum(weight.nbytes for weight in layer.weights[part])
        found[part] = Counted(
            counter.get_total_flops(), weights // share, sum(each.nbytes for each in written) // share
        )
    return found


@dataclass(frozen=True)
class Timing:
    """Seconds of every part at `n` tokens and a batch of `batch`; None for a part that needs too much memory."""

    seconds: dict[str, float | None]
    n: int
    batch: int


def affordable(sizes: Sizes) -> Sizes:
    """The same layer with as few texts, and then tokens, as can be timed at once; at least one token."""
    while sizes.batch > 1 and not _fits(sizes):
        sizes = replace(sizes, batch=sizes.batch // 2)
    while sizes.n > 1 and not _fits(sizes):
        sizes = replace(sizes, n=sizes.n // 2)
    return sizes


def _fits(sizes: Sizes) -> bool:
    lines = bill(sizes).values()
    if sum(line.operations for line in lines) > MOST_OPERATIONS:
        return False
    return all(4 * (line.written + line.maps) <= MOST_BYTES / 2 for line in lines)


def timed(sizes: Sizes, clock: Callable[[], float] = time.perf_counter) -> Timing:
    """The best of up to REPEATS runs of each part in FP32 on the CPU, of as much as is `affordable`."""
    sizes = affordable(sizes)
    layer, lines = PlainLayer(sizes, "cpu"), bill(sizes)
    seconds: dict[str, float | None] = {}
    for part in PARTS:
        if 4 * lines[part].weights > MOST_BYTES:
            seconds[part] = None
            _stand_in(layer, part)
            continue
        layer.prepare(part)
        runs: list[float] = []
        while sum(runs) < LONG and len(runs) < REPEATS:
            start = clock()
            layer.work(part)
            runs.append(clock() - start)
        seconds[part] = min(runs)
    return Timing(seconds, sizes.n, sizes.batch)


def rounds(sizes: Sizes, count: int = ROUNDS) -> list[tuple[Timing, Timing]]:
    """A layer's times and those with one head, in turn, so many times: what else the machine does hits both."""
    sizes = affordable(sizes)
    return [(timed(sizes), timed(sizes.one_head)) for _ in range(count)]


def _stand_in(layer: PlainLayer, part: str) -> None:
    """What a part that is not run would have left for the next."""
    s = layer.sizes
    if part == "projections":
        layer.q = layer._filled(s.batch, s.n, s.h * s.width)
        layer.k = layer.v = layer._filled(s.batch, s.n, s.g * s.width)
