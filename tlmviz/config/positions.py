"""The positions part of a configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Checked

POSITIONS = ("learned", "sinusoidal", "rope", "alibi", "relative", "none")
LAYOUTS = ("interleaved", "half")
ROPE_SCALINGS = ("none", "linear", "ntk", "dynamic", "by-parts", "yarn")


@dataclass(frozen=True)
class PositionsConfig(Checked):
    """How tokens know where they stand.

    RoPE turns plane j by t * rope_base^(-2j/D); `layout` "interleaved" pairs dimensions (2j, 2j+1), "half" (j, j + D/2).
    `scaling` slows its planes for texts `factor` times as long as the model was trained on, which is `trained_context`
    tokens (null: the model's context). `distances` is how many distances have vectors of their own when `kind` is "relative".
    """

    PART: ClassVar[str] = "positions"

    kind: str = "rope"
    rope_base: float = 10000.0
    layout: str = "interleaved"
    scaling: str = "none"
    factor: float = 1.0
    trained_context: int | None = None
    distances: int = 32

    def __post_init__(self) -> None:
        self.check_choices(kind=POSITIONS, layout=LAYOUTS, scaling=ROPE_SCALINGS)
        self.check_positive("rope_base", "factor")
        self.check_optional_counts("trained_context")
        self.check_counts("distances")
