"""The normalisation part of a configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Checked

NORMS = ("layernorm", "rmsnorm")
NORM_PLACES = ("pre", "post", "sandwich", "output", "parallel", "parallel-shared")


@dataclass(frozen=True)
class NormConfig(Checked):
    """`kind` of norm, `eps` added under its root, and `placement`: where the norms of a block stand.

    "pre" is before each sublayer, "post" after the residual sum (the original Transformer), "output" on what a sublayer
    adds (OLMo 2), "sandwich" before it and on what it adds (Gemma 2). In "parallel" blocks attention and feed-forward
    read the same stream, each through its own norm (GPT-NeoX), in "parallel-shared" ones through one norm (Phi).
    """

    PART: ClassVar[str] = "norm"

    kind: str = "rmsnorm"
    eps: float = 1e-5
    placement: str = "pre"

    def __post_init__(self) -> None:
        self.check_choices(kind=NORMS, placement=NORM_PLACES)
        self.check_positive("eps")

    @property
    def before(self) -> bool:
        """Whether sublayers read a normalised stream, and not the stream itself."""
        return self.placement not in ("post", "output")

    @property
    def final(self) -> bool:
        """Whether one more norm stands before the head: after post-norm blocks the stream is normalised already."""
        return self.placement != "post"
