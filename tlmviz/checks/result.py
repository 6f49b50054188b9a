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


def largest(errors: list[float]) -> float:
    """The largest magnitude in a list of errors; NaN if any is NaN. 0 for none."""
    return max(map(abs, errors), default=0.0) if all(error == error for error in errors) else float("nan")
