"""Gradients against a format's floor: what becomes of them for every scale S = 2^k of the loss, counted exactly.

A power of two moves a number's exponent and nothing else, so that counts of exponents, with a few limits within a doubling, tell
for every k how many gradients are lost, subnormal or too large. Sources: LLM notes, section 6; Micikevicius et al. 2018, section
3.2; `torch.amp.GradScaler`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from tlmviz.errors import BadText
from tlmviz.protocols import LanguageModelLike

from ..samples import sample_text
from .formats import Format, find, rounded

FORMATS = tuple(find(key) for key in ("fp16", "bf16", "e5m2", "e4m3"))
KINDS = WEIGHTS, ACTIVATIONS = "weights", "activations"
ROWS, LENGTH = 8, 128  # of a batch of stories
SKIPPED = ("lse", "chosen")  # taps that hold no numbers of the pass itself
HEAD = "logits"  # what is no tap: the network's output
# Where within a doubling, from 1 to 2, a format's fates change: halfway to its smallest normal number and beyond its largest.
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
    """Numbers of one tensor by size: `by_size` [E, B] counts those of exponent `lowest` + row, by their place within the doubling.

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
    """What becomes of gradients times 2^k in a format, as shares of those that are not 0; with normal ones they add up to 1."""

    lost: float
    subnormal: float
    overflow: float

    @property
    def normal(self) -> float:
        """The share that keeps all its bits."""
        return 1 - self.lost - self.subnormal - self.overflow


def batch(lm: LanguageModelLike, text: str | None) -> Int[Tensor, "b t"]:
    """The ids of a text as one row; of None, bundled stories in ROWS rows of LENGTH. Raises BadText for a text of one token."""
    if text is None:
        length = min(LENGTH, lm.config.context)
        ids = lm.tokenizer.encode(sample_text())[: ROWS * length]
        return torch.tensor(ids[: len(ids) // length * length]).view(-1, length)
    ids = lm.encode(text)
    if len(ids) < 2:
        raise BadText("The text has one token, so there is no loss and no gradient; type at least one more.")
    return torch.tensor([ids])


def gradients(lm: LanguageModelLike, ids: Int[Tensor, "b t"], kind: str = WEIGHTS) -> dict[str, Tensor]:
    """The gradient of the batch's mean loss by every weight, or by everything that passes a tap and by the logits; float32."""
    from tlmviz.recording import recording

    lm, passed = lm.on_cpu, {}

    def watched(name: str):
        def keep(value: Tensor, record: object) -> Tensor:
            if value.is_floating_point() and value.requires_grad:
                passed[name] = value
            return value

        return keep

    taps = [name for name in lm.network.tap_names() if name.rpartition(".")[2] not in SKIPPED]
    weights = _leaves(lm)
    with torch.enable_grad(), recording(lambda name: False, {name: watched(name) for name in taps}):
        logits = torch.func.functional_call(lm.network, weights, (ids,))
        loss = loss_of(logits, ids)
    of = weights if kind == WEIGHTS else {**passed, HEAD: logits}
    found = torch.autograd.grad(loss, list(of.values()), allow_unused=True)
    return {name: each.float() for name, each in zip(of, found) if each is not None}


def loss_of(logits: Float[Tensor, "b t v"], ids: Int[Tensor, "b t"]) -> Tensor:
    """Mean loss of the next tokens, in nats."""
    return F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), ids[:, 1:].flatten())


def _leaves(lm: LanguageModelLike) -> dict[str, Tensor]:
    """The weights as leaves of their own, float32."""
    return {name: p.detach().clone().float().requires_grad_() for name, p in lm.network.named_parameters()}


def count(x: Float[Tensor, "*n"] | Float[np.ndarray, "*n"]) -> Counts:
    """The numbers of a tensor by size."""
    x = np.abs(np.asarray(x, np.float32)).reshape(-1)
    finite = x[np.isfinite(x)]
    sizes = finite[finite > 0]
    significands, exponents = np.frexp(sizes)
    low = int(exponents.min(initial=0)) - 1 if len(sizes) else 0
    bins = np.searchsorted(EDGES, 2 * significands.astype(np.float64), side="right")
    codes = (exponents.astype(np.int64) - 1 - low) * (len(EDGES) + 1) + bins
    table = np.bincount(codes, minlength=len(EDGES) + 1)
    rows = -(-len(table) // (len(EDGES) + 1))
    table = np.pad(table, (0, rows * (len(EDGES) + 1) - len(table)))
    return Counts(low, table.reshape(rows, -1), len(finite) - len(sizes), len(x) - len(finite))


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

    Lost: below the exponent `lost`, and powers of two of it. Normal: from the exponent `normal` on, in it from the column
    `normal_bin`. Too large: beyond the exponent `top`, in it from the column `top_bin`.
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
    x = x.double().numpy().reshape(-1)
    x = x[x != 0]
    if not len(x):
        return Scaled(0, 0, 0)
    kept = rounded(np.ldexp(x, k), format)
    small = (kept != 0) & (np.abs(kept) < format.smallest_normal)
    return Scaled(float((kept == 0).mean()), float(small.mean()), float((~np.isfinite(kept)).mean()))


def safe_scales(counts: Counts, format: Format, most_lost: float = 0.001) -> tuple[int, int] | None:
    """The least and the largest k at which nothing overflows and at most this share is lost; None where there is none."""
    found = [scaled(counts, format, k) for k in SCALES]
    good = [k for k, each in zip(SCALES, found) if each.overflow == 0 and each.lost <= most_lost]
    return (good[0], good[-1]) if good else None


SCALES = range(-16, 65)  # k on the page's slider


@dataclass(frozen=True)
class Pass:
    """A step whose matrix products are in FP16, its loss times 2^k: relative `error` of the gradient, divided by 2^k again.

    Infinite or NaN where a gradient overflowed; `zeros` is the share of gradients that are 0.
    """

    k: int
    error: float
    zeros: float


def in_half(lm: LanguageModelLike, ids: Int[Tensor, "b t"], scales: Sequence[int]) -> list[Pass]:
    """The step run by torch.autocast in FP16 for each k: |g_FP16 / 2^k - g| / |g| over all weights."""
    lm, found = lm.on_cpu, []
    exact = gradients(lm, ids)
    size = _norm(exact)
    for k in scales:
        weights = _leaves(lm)
        with torch.enable_grad(), torch.autocast("cpu", torch.float16):
            loss = loss_of(torch.func.functional_call(lm.network, weights, (ids,)), ids)
        each = torch.autograd.grad(loss * 2.0**k, list(weights.values()), allow_unused=True)
        half = {name: g.float() for name, g in zip(weights, each) if g is not None}
        off = {name: half[name] / 2.0**k - exact[name] for name in exact}
        zeros = sum(int((g == 0).sum()) for g in half.values()) / sum(g.numel() for g in half.values())
        found.append(Pass(k, _norm(off) / size, zeros))
    return found


def _norm(tensors: Mapping[str, Tensor]) -> float:
    return float(torch.stack([each.double().pow(2).sum() for each in tensors.values()]).sum().sqrt())
