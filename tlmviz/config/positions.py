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

    RoPE turns plane j by t * rope_base^(-2j/D); `layout` "interleaved" pairs dimensions (2j, 2j+1), "half" (j, j +
    D/2). `scaling` slows its planes for texts `factor` times as long as the model was trained on, which is
    `trained_context` tokens (null: the model's context); "by-parts" and "yarn" keep the speed of planes that turn more
    than `beta_fast` times within it, interpolate those that turn less than `beta_slow` times, and go from one to the
    other between: Llama 3's is "by-parts" from 4 turns to 1. `attention_factor` multiplies rotated queries and keys
    (null: 0.1 ln factor + 1 with "yarn", else 1). `rotary_dim` is how many leading dimensions of each head turn (null:
    all). `distances` is how many distances have vectors of their own when `kind` is "relative".
    """

    PART: ClassVar[str] = "positions"

    kind: str = "rope"
    rope_base: float = 10000.0
    layout: str = "interleaved"
    scaling: str = "none"
    factor: float = 1.0
    trained_context: int | None = None
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    attention_factor: float | None = None
    rotary_dim: int | None = None
    distances: int = 32

    def __post_init__(self) -> None:
        self.check_choices(kind=POSITIONS, layout=LAYOUTS, scaling=ROPE_SCALINGS)
        self.check_positive("rope_base", "factor", "beta_fast", "beta_slow")
        if self.attention_factor is not None:
            self.check_positive("attention_factor")
        self.check_optional_counts("trained_context", "rotary_dim")
        self.check_counts("distances")
