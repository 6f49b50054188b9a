"""The configuration of a latent array that reads pictures."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.errors import BadConfig

from .base import JSONConfig


@dataclass(frozen=True)
class LatentsConfig(JSONConfig):
    """`n_latents` learned rows read a picture of side * side pixels, a token each, then one another, `n_layers` times;
    what is in each of the picture's grid * grid cells is one of `classes`.

    Raises BadConfig when the parts do not fit together.
    """

    name: str
    description: str = ""
    kind: str = "latents"
    n_latents: int = 8
    d_model: int = 64
    n_layers: int = 3
    n_heads: int = 4
    d_ff: int = 128
    side: int = 24
    grid: int = 3
    classes: int = 11
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self.check_choices(kind=("latents",))
        self.check_types(name=str, description=str)
        self.check_counts("n_latents", "d_model", "n_layers", "n_heads", "d_ff", "side", "grid")
        self.check_counts("classes", least=2)
        self.check_shares("dropout")
        if self.d_model % self.n_heads:
            raise BadConfig(f"n_heads is {self.n_heads}; it must divide d_model, {self.d_model}.")
        if self.side % self.grid:
            raise BadConfig(f"grid is {self.grid}; it must divide side, {self.side}.")

    @property
    def cells(self) -> int:
        """Cells of a picture."""
        return self.grid**2
