"""Number formats bit by bit: what a pattern is worth, and what becomes of a number that is rounded to a format.

Nothing is scaled here: `tlmviz.kernels.quantize` does that. Sources: IEEE 754; Micikevicius et al. 2022 for both FP8
formats; the OCP Microscaling specification for E2M1; LLM notes, section 6.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from tlmviz.errors import BadShape, BadText, UnknownName

INFINITY, NAN, FINITE = "infinity", "nan", "finite"


@dataclass(frozen=True)
class Format:
    """Bits of a format: a sign, `exponent` bits with a `bias`, and `mantissa` bits; an integer has no exponent bits.

    `top` says what the patterns with all exponent bits set are: "infinity" (infinity and NaN, as IEEE 754), "nan"
    (numbers, but for the last one, which is NaN) or "finite" (numbers). Where "finite", what is too large becomes the
    largest number.
    """

    key: str
    name: str
    exponent: int
    mantissa: int
    top: str
    use: str

    @property
    def bits(self) -> int:
        """Bits of a number, the sign included."""
        return 1 + self.exponent + self.mantissa

    @property
    def integer(self) -> bool:
        """Whether it has no exponent."""
        return self.exponent == 0

    @property
    def bias(self) -> int:
        """What is taken from the exponent's bits; 0 for an integer."""
        return 0 if self.integer else 2 ** (self.exponent - 1) - 1

    @property
    def least(self) -> int:
        """The exponent of the smallest normal number; for an integer that of a step as it would be, 0 + mantissa."""
        return self.mantissa if self.integer else 1 - self.bias

    @property
    def smallest_normal(self) -> float:
        """The smallest positive number with a leading 1; of an integer, 1."""
        return 1.0 if self.integer else 2.0**self.least

    @property
    def smallest(self) -> float:
        """The smallest positive number."""
        return 2.0 ** (self.least - self.mantissa)

    @property
    def largest(self) -> float:
        """The largest finite number; integers are kept symmetric, so that −128 and −8 are not rounded to."""
        if self.integer:
            return 2.0**self.mantissa - 1
        above = {INFINITY: 1, NAN: 0, FINITE: 0}[self.top]
        last = 2 - 2.0**-self.mantissa * (2 if self.top == NAN else 1)
        return last * 2.0 ** (2**self.exponent - 1 - above - self.bias)

    @property
    def step_at_one(self) -> float:
        """The distance from 1 to the next larger number (ULP)."""
        return 2.0**-self.mantissa if not self.integer else 1.0

    def described(self) -> dict[str, Any]:
        """All of it by name, for the browser."""
        names = ("bits", "integer", "bias", "least", "smallest_normal", "smallest", "largest", "step_at_one")
        return asdict(self) | {name: getattr(self, name) for name in names}


FORMATS = (
    Format("fp32", "FP32", 8, 23, INFINITY, "master weights, the optimiser's state"),
    Format("tf32", "TF32", 8, 10, INFINITY, "what the matrix units of an A100 read of FP32"),
    Format("bf16", "BF16", 8, 7, INFINITY, "training on A100, H100 and TPUs"),
    Format("fp16", "FP16", 5, 10, INFINITY, "training on V100 and T4, with a scaled loss"),
    Format("e5m2", "E5M2", 5, 2, INFINITY, "FP8 for gradients: range"),
    Format("e4m3", "E4M3", 4, 3, NAN, "FP8 for weights and activations: precision"),
    Format("e2m1", "E2M1", 2, 1, FINITE, "FP4, with a scale for every block"),
    Format("int8", "INT8", 0, 7, FINITE, "quantised inference, with a scale"),
    Format("int4", "INT4", 0, 3, FINITE, "quantised weights, with a scale"),
)
BY_KEY = {format.key: format for format in FORMATS}


def find(key: str) -> Format:
    """A format by its key. Raises UnknownName."""
    if key not in BY_KEY:
        raise UnknownName(f"There is no format {key!r}; choose one of {', '.join(BY_KEY)}.")
    return BY_KEY[key]


def rounded(x: Float[np.ndarray, "*n"] | float, format: Format) -> Float[np.ndarray, "*n"]:
    """Numbers [...] as a format keeps them, as float64: rounded to nearest, ties to the even last bit.

    Beyond the largest number they become infinite, NaN (E4M3) or the largest (E2M1 and integers), as `top` says. NaN
    stays NaN here also for formats that have none.
    """
    x = np.asarray(x, np.float64)
    result = _nearest(x, format)
    beyond = np.abs(result) > format.largest
    if format.integer:
        result = result + 0.0  # an integer has one zero
    return np.where(
        beyond,
        {INFINITY: np.copysign(np.inf, x), NAN: np.full_like(x, np.nan), FINITE: np.copysign(format.largest, x)}[
            format.top
        ],
        result,
    )


def overflows(x: Float[np.ndarray, "*n"] | float, format: Format) -> Bool[np.ndarray, "*n"]:
    """Whether numbers [...] lie beyond a format: whether the nearest of its steps does, so that 448.1 is no overflow of
    E4M3."""
    return np.abs(_nearest(np.asarray(x, np.float64), format)) > format.largest


def _nearest(x: np.ndarray, format: Format) -> np.ndarray:
    """Numbers on the nearest of the format's steps, which go on beyond its largest number."""
    _, exponent = np.frexp(x)
    step = np.ldexp(1.0, np.maximum(exponent - 1, format.least) - format.mantissa)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.rint(x / step) * step


def decoded(patterns: Int[np.ndarray, "*n"] | int, format: Format) -> Float[np.ndarray, "*n"]:
    """What bit patterns, as whole numbers from 0 on, are worth, as float64. Raises BadShape beyond the format's
    bits."""
    codes = np.asarray(patterns, np.int64)
    if codes.size and (codes.min() < 0 or codes.max() >= 2**format.bits):
        raise BadShape(f"{format.name} has {format.bits} bits: patterns from 0 to {2**format.bits - 1:#x}.")
    negative = codes >> (format.bits - 1)
    if format.integer:
        return (codes - (negative << format.bits)).astype(np.float64)
    field = codes >> format.mantissa & (2**format.exponent - 1)
    fraction = codes & (2**format.mantissa - 1)
    leading = (field > 0).astype(np.float64)
    magnitude = np.ldexp(leading + fraction / 2**format.mantissa, np.maximum(field, 1).astype(np.int32) - format.bias)
    full = field == 2**format.exponent - 1
    if format.top == INFINITY:
        magnitude = np.where(full, np.where(fraction == 0, np.inf, np.nan), magnitude)
    elif format.top == NAN:
        magnitude = np.where(full & (fraction == 2**format.mantissa - 1), np.nan, magnitude)
    return np.where(negative == 1, -magnitude, magnitude)


def read(text: str, format: Format) -> float:
    """The number that a text means: decimal, inf or nan, or behind 0x or 0b a bit pattern of the format. Raises
    BadText."""
    plain = text.strip().replace("−", "-").replace("_", "").lower()
    if re.fullmatch(r"0x[0-9a-f]+|0b[01]+", plain):
        code = int(plain, 0)
        if code >= 2**format.bits:
            raise BadText(f"{text!r} is too long for {format.name}, which has {format.bits} bits.")
        return float(decoded(code, format))
    if not re.fullmatch(r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|nan|inf|infinity|∞)", plain):
        raise BadText(f"{text!r} is no number: write it as 0.1, -3e-5, inf or nan, or its bits as 0x7f or 0b0101.")
    return float(plain.replace("∞", "inf"))
