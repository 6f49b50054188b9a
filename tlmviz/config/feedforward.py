"""The feed-forward part of a configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Checked

FEEDFORWARDS = ("relu", "gelu", "gelu-tanh", "silu", "swiglu", "geglu", "geglu-tanh")
GATED = ("swiglu", "geglu", "geglu-tanh")


@dataclass(frozen=True)
class FeedForwardConfig(Checked):
    """`kind` is the activation between two matrices, or one of GATED with a gate beside; `hidden` is F, their inner width.

    "gelu" is x Phi(x) exactly, "gelu-tanh" the approximation of GPT-2; the gate passes SiLU in "swiglu", these two in
    "geglu" and "geglu-tanh" (Gemma). `bias` gives all its matrices one.
    """

    PART: ClassVar[str] = "feedforward"

    kind: str = "swiglu"
    hidden: int = 512
    bias: bool = False

    def __post_init__(self) -> None:
        self.check_choices(kind=FEEDFORWARDS)
        self.check_counts("hidden")
        self.check_types(bias=bool)

    @property
    def gated(self) -> bool:
        """Whether a gate multiplies the hidden units: a third matrix."""
        return self.kind in GATED
