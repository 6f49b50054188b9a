"""Scales that bring numbers into a format's range, per tensor, channel or block, and products of what is rounded under
them.

A scale S multiplies numbers before they are rounded, and what comes out is divided by it: O = O_s / (S_X S_W) for the
product of X [T, K] and W [N, K]. `step` is 1 / S, what a 1 of the format is worth. A channel is a row here: a token of
X, an output of W; a block is some neighbours of a row. Sources: LLM notes, section 6; the OCP Microscaling
specification 1.0, sections 5.2 and 6.3, for shared scales that are powers of two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Int8
from torch import Tensor
from torch.nn import functional as F

from tlmviz.errors import BadShape, UnknownName
from tlmviz.kernels.reference.quantization import SMALLEST

from .formats import BY_KEY, Format, find

PER = TENSOR, CHANNEL, BLOCK, SHARED = "tensor", "channel", "block", "mx"
BLOCKS = (16, 32, 64, 128)
KEYS = ("int8", "e4m3", "e5m2", "e2m1", "int4", "fp16", "bf16")  # formats that are scaled
# Formats that torch rounds to.
CASTS = {"fp16": torch.float16, "bf16": torch.bfloat16, "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}
SCALE_BITS = {TENSOR: 32, CHANNEL: 32, BLOCK: 32, SHARED: 8}  # of one scale: FP32, or E8M0, a power of two
EXACT = 2**24  # up to here float32 has every whole number


@dataclass(frozen=True)
class Scheme:
    """A format, by its key, and what shares a scale: one of PER, blocks of `block` numbers. Raises UnknownName,
    BadShape."""

    format: str = "int8"
    per: str = TENSOR
    block: int = 32

    def __post_init__(self) -> None:
        find(self.format)
        if self.per not in PER:
            raise UnknownName(f"There is no scale per {self.per!r}; choose one of {', '.join(PER)}.")
        if self.block < 1:
            raise BadShape(f"block is {self.block}; give a positive number of neighbours.")

    @property
    def kept(self) -> Format:
        """The format itself."""
        return BY_KEY[self.format]

    @property
    def factors_out(self) -> bool:
        """Whether a product is made first and rescaled at its end: no scale changes within a sum."""
        return self.per in (TENSOR, CHANNEL)

    def bits(self, shape: tuple[int, int]) -> float:
        """Bits for each number of a matrix, scales included."""
        rows, columns = shape
        scales = {TENSOR: 1, CHANNEL: rows}.get(self.per, rows * -(-columns // self.block))
        return self.kept.bits + SCALE_BITS[self.per] * scales / max(1, rows * columns)


@dataclass(frozen=True, eq=False)
class Scaled:
    """Rows of numbers in a format: `codes` [R, K] are numbers of the format, `step` [R or 1, groups] what a 1 is
    worth."""

    codes: Float[Tensor, "r k"]
    step: Float[Tensor, "r1 g"]
    scheme: Scheme

    @property
    def scale(self) -> Float[Tensor, "r1 g"]:
        """S, by which numbers were multiplied."""
        return 1 / self.step

    @cached_property
    def restored(self) -> Float[Tensor, "r k"]:
        """What is left of the numbers, float32."""
        return _by_group(torch.mul, self.codes, self.step, self.scheme)

    @cached_property
    def integers(self) -> Int8[Tensor, "r k"]:
        """The codes of an integer format as integers."""
        return self.codes.to(torch.int8)


def rounded(x: Float[Tensor, "*n"], format: Format) -> Float[Tensor, "*n"]:
    """Numbers as a format keeps them, as float32: to nearest, ties to even, and cut to the largest, as whoever scales
    does."""
    return _round_(x.clone(), format)


def _round_(x: Tensor, format: Format) -> Tensor:
    """The same, which may use the memory of x: for large matrices new memory takes longer than the arithmetic."""
    if format.mantissa >= 23:
        return x
    if format.integer:
        return x.round_().clamp_(-format.largest, format.largest)
    if format.key in CASTS:  # the same, and many times as fast
        return x.clamp_(-format.largest, format.largest).to(CASTS[format.key]).float()
    _, exponent = torch.frexp(x)
    step = torch.ldexp(torch.ones_like(x), exponent.sub_(1).clamp_(min=format.least) - format.mantissa)
    return ((x / step).round_() * step).clamp_(-format.largest, format.largest)


def scaled(x: Float[Tensor, "r k"], scheme: Scheme, factor: float = 1.0) -> Scaled:
    """Round rows of numbers under scales that bring each group's largest to the format's largest, times `factor`.

    Above 1 the largest are cut. A format with FP32's range needs no scale and gets S = 1. A shared power of two is
    2^(floor(log2 of the largest) - that of the format's), as the Microscaling specification has it: it too cuts a
    little.
    """
    x = x.float()
    step = _step(x, scheme) / factor
    return Scaled(_round_(_by_group(torch.div, x, step, scheme), scheme.kept), step, scheme)


def _by_group(operation: Callable[[Tensor, Tensor], Tensor], x: Tensor, step: Tensor, scheme: Scheme) -> Tensor:
    """x [R, K] multiplied or divided by the step of its group [R or 1, groups]."""
    if scheme.factors_out:
        return operation(x, step)
    width = x.shape[-1]
    left = -width % scheme.block
    groups = (F.pad(x, (0, left)) if left else x).unflatten(-1, (-1, scheme.block))
    return operation(groups, step[..., None]).flatten(-2)[:, :width]


def _step(x: Tensor, scheme: Scheme) -> Tensor:
    """What a 1 of the format is worth in every group, [R or 1, groups]."""
    format, rows = scheme.kept, len(x)
    if format.exponent >= 8:
        return torch.ones(1 if scheme.per == TENSOR else rows, _groups(x, scheme))
    if scheme.per == TENSOR:
        largest = _largest(x.flatten()).reshape(1, 1)
    elif scheme.per == CHANNEL:
        largest = _largest(x)[:, None]
    else:
        left = -x.shape[-1] % scheme.block
        largest = _largest((F.pad(x, (0, left)) if left else x).unflatten(-1, (-1, scheme.block)))
    if scheme.per != SHARED:
        return (largest / format.largest).clamp(min=SMALLEST)
    own = torch.frexp(torch.tensor(format.largest)).exponent
    exponent = torch.frexp(largest.clamp(min=SMALLEST)).exponent - own
    return torch.ldexp(torch.ones_like(largest), exponent.clamp(min=-126))


def _largest(x: Tensor) -> Tensor:
    """The largest |x| of each row, without a copy of |x|."""
    return torch.maximum(x.amax(-1), -x.amin(-1))


def _groups(x: Tensor, scheme: Scheme) -> int:
    return 1 if scheme.factors_out else -(-x.shape[-1] // scheme.block)


def product(x: Scaled, w: Scaled) -> Float[Tensor, "t n"]:
    """O = O_s / (S_X S_W) [T, N] of X [T, K] and W [N, K].

    With a scale for each block the sum itself is rescaled, block after block: that is a product of the restored
    numbers. Float formats are multiplied as float32, which is what their hardware adds in; the products themselves are
    exact.
    """
    if not (x.scheme.factors_out and w.scheme.factors_out):
        return x.restored @ w.restored.T
    return unscaled(x, w) * (x.step * w.step.T)


def unscaled(x: Scaled, w: Scaled) -> Float[Tensor, "t n"]:
    """O_s, the product of the codes alone: of integers as the hardware does, of 8 bits each and added in 32.

    Sums that float32 holds exactly are made in it: without instructions for bytes, `torch._int_mm` takes 30 times as
    long.
    """
    largest = x.scheme.kept.largest * w.scheme.kept.largest * x.codes.shape[-1]
    if x.scheme.kept.integer and w.scheme.kept.integer and largest > EXACT:
        return torch._int_mm(x.integers, w.integers.T).float()
    return x.codes @ w.codes.T


def sqnr(x: Float[Tensor, "r k"], kept: Float[Tensor, "r k"], dim: int | None = None) -> Tensor:
    """Signal to quantisation noise in decibels, 10 log10 of (sum x² / sum (x - kept)²), of all or along `dim`; inf if
    exact.

    Of zeros alone it is NaN where they stay zero.
    """
    signal, noise = x.double().square(), (x.double() - kept.double()).square()
    if dim is None:
        return 10 * torch.log10(signal.sum() / noise.sum())
    return 10 * torch.log10(signal.sum(dim) / noise.sum(dim))


@dataclass(frozen=True, eq=False)
class Rounded:
    """A product X W' and what a scheme makes of it: the two operands, `exact` and `kept`, both [T, N]."""

    x: Scaled
    w: Scaled
    exact: Float[Tensor, "t n"]
    kept: Float[Tensor, "t n"]


def rounded_product(x: Float[Tensor, "t k"], w: Float[Tensor, "n k"], scheme: Scheme, sides: str = "both") -> Rounded:
    """Scale, round and multiply; `sides` is "both", "weights" or "activations": the other stays FP32."""
    plain = Scheme("fp32", scheme.per, scheme.block)
    xs = scaled(x, scheme if sides != "weights" else plain)
    ws = scaled(w, scheme if sides != "activations" else plain)
    return Rounded(xs, ws, x @ w.T, product(xs, ws))
