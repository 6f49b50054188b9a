"""Gradients against a format's floor: what becomes of them for every scale S = 2^k of the loss, counted exactly.

A power of two moves a number's exponent and nothing else, so that counts of exponents, with a few limits within a
doubling, tell for every k how many gradients are lost, subnormal or too large. Sources: LLM notes, section 6;
Micikevicius et al. 2018, section 3.2; `torch.amp.GradScaler`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from tlmviz.errors import BadText
from tlmviz.networks.twins import with_weights
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Edit, Recording, recording

from ..samples import sample_text
from .formats import Format, find, rounded

FORMATS = tuple(find(key) for key in ("fp16", "bf16", "e5m2", "e4m3"))
KINDS = WEIGHTS, ACTIVATIONS = "weights", "activations"
ROWS, LENGTH = 4, 128  # of a batch of stories
LARGE = 30_000_000  # parameters, from which stories are read in one row: a step takes a second for each
SCALES = range(-16, 49)  # k that are looked at
MOST_LOST = 0.001  # share of the gradients that a scale may lose and be called safe
SKIPPED = ("lse", "chosen")  # taps that hold no numbers of the pass itself
HEAD = "logits"  # what is no tap: the network's output
# Where within a doubling, from 1 to 2, a format's fates change: halfway to its smallest normal number and beyond its
# largest.
_TIES = {
    "fp16": (2 - 2.0**-10, 2 - 2.0**-11),
    "bf16": (2 - 2.0**-7, 2 - 2.0**-8),
    "e5m2": (2 - 2.0**-2, 2 - 2.0**-3),
    # The largest of E4M3 is even: halfway beyond it is still rounded down.
    "e4m3": (2 - 2.0**-3, float(np.nextafter(np.float32(1.8125), np.float32(2)))),
}
EDGES = np.unique([float(np.nextafter(np.float32(1), np.float32(2))), *sum(_TIES.values(), ())])


@dataclass(frozen=True)
class Counts:
    """Numbers of one tensor by size: `by_size` [E, B] counts those of exponent `lowest` + row, by their place in the
    doubling.

    The first column holds powers of two, the others begin at EDGES. `zeros` are 0 already, `broken` infinite or NaN.
    """

    lowest: int
    by_size: Int[np.ndarray, "e b"]
    zeros: int
    broken: int

    @property
    def total(self) -> int:
        """Numbers other than 0."""
        return int(self.by_size.sum()) + self.broken


@dataclass(frozen=True)
class Scaled:
    """What becomes of gradients times 2^k in a format, as shares of those that are not 0; with normal ones they add up
    to 1."""

    lost: float
    subnormal: float
    overflow: float

    @property
    def normal(self) -> float:
        """The share that keeps all its bits."""
        return 1 - self.lost - self.subnormal - self.overflow


def batch(lm: LanguageModelLike, text: str | None) -> Int[Tensor, "b t"]:
    """The ids of a text as one row; of None, bundled stories in ROWS rows of LENGTH, for a large model in one.

    Raises BadText for a text of one token.
    """
    if text is None:
        length = min(LENGTH, lm.config.context)
        rows = ROWS if lm.n_parameters < LARGE else 1
        return torch.tensor(lm.tokenizer.encode(sample_text())[: rows * length]).view(rows, length)
    ids = lm.encode(text)
    if len(ids) < 2:
        raise BadText("The text has one token, so there is no loss and no gradient; type at least one more.")
    return torch.tensor([ids])


def gradients(
    lm: LanguageModelLike,
    ids: Int[Tensor, "b t"],
    kind: str = WEIGHTS,
    k: int = 0,
    within: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> dict[str, Tensor]:
    """The gradient of the batch's mean loss, times 2^k, by every weight, or by everything that passes a tap and by the
    logits.

    Both passes run `within` a context, such as HalfProducts.
    """
    lm, passed = lm.on_cpu, {}

    def watched(name: str) -> Edit:
        def keep(value: Tensor, record: Recording) -> Tensor:
            if value.is_floating_point() and value.requires_grad:
                passed[name] = value
            return value

        return keep

    taps = [name for name in lm.network.tap_names() if name.rpartition(".")[2] not in SKIPPED]
    weights = leaves(lm)
    edits = {name: watched(name) for name in taps} if kind == ACTIVATIONS else {}
    with torch.enable_grad(), within(), recording(lambda name: False, edits):
        logits = with_weights(lm.network, weights, ids)
        of = weights if kind == WEIGHTS else {**passed, HEAD: logits}
        found = torch.autograd.grad(loss_of(logits, ids) * 2.0**k, list(of.values()), allow_unused=True)
    return {name: each.float() for name, each in zip(of, found) if each is not None}


def loss_of(logits: Float[Tensor, "b t v"], ids: Int[Tensor, "b t"]) -> Tensor:
    """Mean loss of the next tokens, in nats."""
    return F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), ids[:, 1:].flatten())


def leaves(lm: LanguageModelLike) -> dict[str, Tensor]:
    """A copy of the weights, by name, float32, that gradients are asked for."""
    return {name: p.detach().clone().float().requires_grad_() for name, p in lm.on_cpu.network.named_parameters()}


def count(x: Float[Tensor, "*n"] | Float[np.ndarray, "*n"]) -> Counts:
    """The numbers of a tensor by size, from the bits that FP32 keeps them in."""
    bits = np.asarray(x, np.float32).reshape(-1).view(np.uint32) & 0x7FFFFFFF
    # 11 bits of the mantissa hold all edges but those that are one bit beyond a round number.
    columns = len(EDGES) + 1
    cells = (bits >> 23) * columns + _columns()[bits >> 12 & 2047]
    table = np.bincount(cells, minlength=256 * columns).reshape(256, columns)
    for edge in np.nextafter(EDGES.astype(np.float32), np.float32(0)):
        fraction = edge.view(np.uint32) & 0x7FFFFF
        if fraction & 0xFFF == 0:
            column = int(np.searchsorted(EDGES, edge, side="right"))
            there = np.bincount(bits[(bits & 0x7FFFFF) == fraction] >> 23, minlength=256)
            table[:, column] += there
            table[:, column + 1] -= there
    broken, zeros = int(table[255].sum()), int((bits == 0).sum())
    tiny = bits[(bits < 1 << 23) & (bits > 0)].view(np.float32).astype(np.float64)
    return _with_tiny(table[1:255], tiny, zeros, broken)


@functools.cache
def _columns() -> Int[np.ndarray, " n"]:
    """The column of Counts that holds the mantissas with each leading 11 bits."""
    fractions = np.arange(2048) / 2048 + 1
    columns = np.searchsorted(EDGES, fractions, side="right")
    # What is exactly at an edge that is one bit beyond a round number is taken back by `count`.
    columns[np.isin(fractions, np.nextafter(EDGES.astype(np.float32), np.float32(0)))] += 1
    return columns.astype(np.uint32)


def _with_tiny(normal: Int[np.ndarray, "e b"], tiny: Float[np.ndarray, " n"], zeros: int, broken: int) -> Counts:
    """Counts without empty ends, of FP32's normal numbers from the exponent −126 on and of its subnormal ones."""
    table = np.zeros((23 + len(normal), normal.shape[1]), np.int64)
    table[23:] = normal
    significands, exponents = np.frexp(tiny)
    np.add.at(table, (exponents - 1 + 149, np.searchsorted(EDGES, 2 * significands, side="right")), 1)
    held = np.flatnonzero(table.any(1))
    first, last = (int(held[0]), int(held[-1])) if len(held) else (149, 149)
    return Counts(first - 149, table[first : last + 1], zeros, broken)


def together(parts: Sequence[Counts]) -> Counts:
    """The numbers of several tensors."""
    low = min(part.lowest for part in parts)
    high = max(part.lowest + len(part.by_size) for part in parts)
    table = np.zeros((high - low, len(EDGES) + 1), np.int64)
    for part in parts:
        table[part.lowest - low : part.lowest - low + len(part.by_size)] += part.by_size
    return Counts(low, table, sum(part.zeros for part in parts), sum(part.broken for part in parts))


def limits(format: Format) -> dict[str, int]:
    """Where a format's fates change, as exponents and columns of Counts, for `scaled` here and in the browser.

    Lost: below the exponent `lost`, and powers of two of it. Normal: from the exponent `normal` on, in it from the
    column `normal_bin`. Too large: beyond the exponent `top`, in it from the column `top_bin`.
    """
    normal, top = (int(np.searchsorted(EDGES, edge)) + 1 for edge in _TIES[format.key])
    return {
        "lost": format.least - format.mantissa - 1,
        "normal": format.least - 1,
        "normal_bin": normal,
        "top": int(np.floor(np.log2(format.largest))),
        "top_bin": top,
    }


def scaled(counts: Counts, format: Format, k: int) -> Scaled:
    """The fates of the numbers times 2^k."""
    at, total = limits(format), counts.total
    if not total:
        return Scaled(0, 0, 0)
    exponents = counts.lowest + k + np.arange(len(counts.by_size))[:, None]
    columns = np.arange(counts.by_size.shape[1])[None]
    lost = (exponents < at["lost"]) | (exponents == at["lost"]) & (columns == 0)
    normal = (exponents > at["normal"]) | (exponents == at["normal"]) & (columns >= at["normal_bin"])
    over = (exponents > at["top"]) | (exponents == at["top"]) & (columns >= at["top_bin"])
    sums = [int(counts.by_size[each].sum()) for each in (lost, ~lost & ~normal, over)]
    return Scaled(sums[0] / total, sums[1] / total, (sums[2] + counts.broken) / total)


def one_by_one(x: Float[Tensor, "*n"], format: Format, k: int) -> Scaled:
    """The same by rounding every number; of no numbers but 0, nothing is lost."""
    numbers = x.double().numpy().reshape(-1)
    numbers = numbers[numbers != 0]
    if not len(numbers):
        return Scaled(0, 0, 0)
    kept = rounded(np.ldexp(numbers, k), format)
    small = (kept != 0) & (np.abs(kept) < format.smallest_normal)
    return Scaled(float((kept == 0).mean()), float(small.mean()), float((~np.isfinite(kept)).mean()))


def safe_scales(counts: Counts, format: Format, most_lost: float = MOST_LOST) -> tuple[int, int] | None:
    """The least and the largest k at which nothing overflows and at most this share is lost; None where there is
    none."""
    found = [scaled(counts, format, k) for k in SCALES]
    good = [k for k, each in zip(SCALES, found) if each.overflow == 0 and each.lost <= most_lost]
    return (good[0], good[-1]) if good else None


@dataclass(frozen=True)
class Pass:
    """A step whose matrix products are in FP16, its loss times 2^k: relative `error` of the gradient, divided by 2^k
    again.

    Infinite or NaN where a gradient overflowed; `zeros` is the share of gradients that are 0.
    """

    k: int
    error: float
    zeros: float


def in_half(lm: LanguageModelLike, ids: Int[Tensor, "b t"], scales: Sequence[int]) -> list[Pass]:
    """The step run within HalfProducts for each k: |g_FP16 / 2^k − g| / |g| over all weights."""
    from .half_products import HalfProducts  # late: what it is made of takes torch a second to import

    exact, found = gradients(lm, ids), []
    size = norm(exact)
    for k in scales:
        half = gradients(lm, ids, k=k, within=HalfProducts)
        off = {name: half[name] / 2.0**k - exact[name] for name in exact}
        zeros = sum(int((g == 0).sum()) for g in half.values()) / sum(g.numel() for g in half.values())
        found.append(Pass(k, norm(off) / size, zeros))
    return found


def norm(tensors: Mapping[str, Tensor]) -> float:
    """The Euclidean norm of all their numbers."""
    return float(torch.stack([each.double().pow(2).sum() for each in tensors.values()]).sum().sqrt())


def as_arrays(counts: Mapping[str, Counts]) -> dict[str, np.ndarray]:
    """Counts of several tensors as arrays: `names`, spelled as bytes, `shapes` [N, 4] and `counts`, one after
    another."""
    shapes = [(each.lowest, len(each.by_size), each.zeros, each.broken) for each in counts.values()]
    return {
        "names": np.frombuffer("\n".join(counts).encode(), np.uint8),
        "shapes": np.array(shapes, np.int64),
        "counts": np.concatenate([each.by_size.ravel() for each in counts.values()]).astype(np.uint32),
    }


def from_arrays(arrays: Mapping[str, np.ndarray]) -> dict[str, Counts]:
    """What `as_arrays` was given."""
    found, start, columns = {}, 0, len(EDGES) + 1
    for name, (lowest, rows, zeros, broken) in zip(
        arrays["names"].tobytes().decode().split("\n"), arrays["shapes"].tolist()
    ):
        table = arrays["counts"][start : start + rows * columns].astype(np.int64).reshape(rows, columns)
        found[name], start = Counts(lowest, table, zeros, broken), start + rows * columns
    return found
