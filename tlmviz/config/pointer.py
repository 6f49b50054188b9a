"""The configuration of a pointer network."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.errors import BadConfig

from .base import JSONConfig


@dataclass(frozen=True)
class PointerConfig(JSONConfig):
    """A set of points read by a Transformer encoder without positions, and an LSTM that points at them one by one.

    `least` and `most` are the numbers of points it was trained on. Raises BadConfig when the parts do not fit together.
    """

    name: str
    description: str = ""
    kind: str = "pointer"
    d_model: int = 96
    n_layers: int = 3
    n_heads: int = 4
    d_ff: int = 192
    least: int = 5
    most: int = 50

    def __post_init__(self) -> None:
        self.check_choices(kind=("pointer",))
        self.check_types(name=str, description=str)
        self.check_counts("d_model", "n_layers", "n_heads", "d_ff", "most")
        self.check_counts("least", least=3)
        if self.d_model % self.n_heads:
            raise BadConfig(f"n_heads is {self.n_heads}; it must divide d_model, {self.d_model}.")
        if self.most < self.least:
            raise BadConfig(f"most is {self.most}, below least, {self.least}; give a number of at least that.")
