"""What a check measures: an error, and how large it may be."""

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


def worst(errors: Tensor) -> float:
    """The largest magnitude; NaN if any is NaN, which Python's max would pass over. 0 for none."""
    return errors.abs().max().item() if errors.numel() else 0.0
