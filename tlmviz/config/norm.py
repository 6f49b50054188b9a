"""The normalisation part of a configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Checked

NORMS = ("layernorm", "rmsnorm")
NORM_PLACES = ("pre", "post")


@dataclass(frozen=True)
class NormConfig(Checked):
    """`kind` of norm, `eps` added under its root, and `placement` before each sublayer or after the residual sum."""

    PART: ClassVar[str] = "norm"

    kind: str = "rmsnorm"
    eps: float = 1e-5
    placement: str = "pre"

    def __post_init__(self) -> None:
        self.check_choices(kind=NORMS, placement=NORM_PLACES)
        self.check_positive("eps")
