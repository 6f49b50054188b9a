"""The image that a trace's tokens are patches of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from .errors import BadShape


@dataclass(frozen=True, eq=False)
class Patches:
    """An image cut into `rows` by `columns` patches, which are a trace's last tokens in reading order; [CLS] and such
    come first.

    `pixels` are red, green and blue, 0 to 255. Raises BadShape for a grid without patches or pixels of another shape.
    """

    rows: int
    columns: int
    pixels: UInt8[np.ndarray, "y x 3"]

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1:
            raise BadShape(f"The patches are {self.rows} x {self.columns}; give at least one row and one column.")
        shape = self.pixels.shape
        if self.pixels.dtype != np.uint8 or len(shape) != 3 or shape[2] != 3 or 0 in shape:
            raise BadShape(f"The pixels are {self.pixels.dtype} {list(shape)}; give uint8 [height, width, 3].")

    @property
    def count(self) -> int:
        """How many patches there are."""
        return self.rows * self.columns

    def check(self, tokens: int) -> None:
        """Raises BadShape where a trace has fewer tokens than there are patches."""
        if self.count > tokens:
            raise BadShape(
                f"There are {self.rows} x {self.columns} patches and {tokens} tokens; give a token for each patch."
            )


def from_channels(pixels: np.ndarray, rows: int, columns: int) -> Patches:
    """Patches of an image [C, height, width] of any numbers, as models read them: stretched to 0 to 255, one channel to
    grey."""
    low, high = float(pixels.min()), float(pixels.max())
    stretched = np.rint((pixels - low) / ((high - low) or 1.0) * 255).astype(np.uint8)
    colors = stretched[:3] if len(stretched) >= 3 else np.repeat(stretched[:1], 3, 0)
    return Patches(rows, columns, np.ascontiguousarray(colors.transpose(1, 2, 0)))
