"""The part of a configuration that joins sublayers to the residual stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tlmviz.errors import BadConfig

from .base import Checked

CONNECTIONS = ("residual", "hyper", "manifold")
MOST_STREAMS = 16  # as many as `kernels.sinkhorn` scales


@dataclass(frozen=True)
class ConnectionConfig(Checked):
    """Plain residuals, hyper-connections or manifold-constrained ones, the latter two around `streams` streams.

    `iterations` is the number of Sinkhorn iterations that constrain the manifold kind, and `bound` bounds a logit z of
    its mixing matrices to bound * tanh(z / bound), so that so many iterations suffice for every text; null: no bound.
    """

    PART: ClassVar[str] = "connection"

    kind: str = "residual"
    streams: int = 1
    iterations: int = 20
    bound: float | None = None

    def __post_init__(self) -> None:
        self.check_choices(kind=CONNECTIONS)
        self.check_counts("streams", "iterations")
        if self.bound is not None:
            self.check_positive("bound")
        if self.streams > MOST_STREAMS:
            raise BadConfig(f"streams is {self.streams}; at most {MOST_STREAMS} can be mixed.")
        if self.kind == "residual" and self.streams != 1:
            raise BadConfig(
                f"streams is {self.streams}, and a plain residual has 1; choose hyper or manifold connections."
            )
