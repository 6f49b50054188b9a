"""The result of measuring an identity: an error, and how large it may be."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Check:
    """One identity, measured: `error` and `tolerance` share `unit`; `claim` is what holds when it passes."""

    name: str
    claim: str
    error: float
    tolerance: float
    unit: str = "max abs"

    @property
    def passed(self) -> bool:
        """Whether the error is within the tolerance; NaN is not."""
        return self.error <= self.tolerance


@dataclass(frozen=True)
class Measured:
    """An error and a note on what was measured, such as a size, which the check's claim ends with."""

    error: float
    note: str


def worst(errors: Tensor) -> float:
    """The largest magnitude; NaN if any is NaN, which Python's max would pass over. 0 for none."""
    return float(errors.abs().max()) if errors.numel() else 0.0


# float32 rounds each of some thousand additions on a logit's way by 6e-8 of what is added, half up and half down: 3e-5
# of the largest logit is four times what a model of 30 layers shows. An absolute bound would fail models with larger
# logits.
ROUNDING = 3e-5
OF_LARGEST = "of the largest logit"


def beside_largest(found: Tensor, expected: Tensor) -> float:
    """The largest difference of two passes' logits, as a share of the largest logit (of 1 where all are smaller)."""
    return worst(found - expected) / max(1.0, worst(expected))


def largest(errors: list[float]) -> float:
    """The largest magnitude in a list of errors; NaN if any is NaN. 0 for none."""
    return max(map(abs, errors), default=0.0) if all(error == error for error in errors) else float("nan")
