"""The configuration of a lightning indexer."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.errors import BadConfig

from .base import JSONConfig


@dataclass(frozen=True)
class IndexerConfig(JSONConfig):
    """One indexer per layer of a teacher: sizes, and which weights it was distilled from.

    `fingerprint` is the SHA-256 of the teacher's model.safetensors. `rope_dim` of the `head_dim` dimensions
    turn with the position. Raises BadConfig when the sizes fit no indexer.
    """

    name: str
    teacher: str
    fingerprint: str
    n_layers: int
    d_model: int
    description: str = ""
    heads: int = 4
    head_dim: int = 32
    rope_dim: int = 16
    rope_base: float = 10000.0
    kind: str = "indexer"

    def __post_init__(self) -> None:
        for name in ("name", "teacher", "fingerprint"):
            if not isinstance(getattr(self, name), str):
                raise BadConfig(f"{name} is {getattr(self, name)!r}; it must be a text.")
        self.check_counts("n_layers", "d_model", "heads", "head_dim")
        if type(self.rope_dim) is not int or self.rope_dim % 2 or not 0 <= self.rope_dim <= self.head_dim:
            raise BadConfig(f"rope_dim is {self.rope_dim!r}; give an even number from 0 to head_dim, {self.head_dim}.")
        if not isinstance(self.rope_base, (int, float)) or not self.rope_base > 1:
            raise BadConfig(f"rope_base is {self.rope_base!r}; it must be a number above 1.")
        if self.kind != "indexer":
            raise BadConfig(f"kind is {self.kind!r}; an indexer's is 'indexer'.")
