"""Matrices to start from in the view "Sinkhorn dial"."""

from __future__ import annotations

from typing import NamedTuple

KINDS = {
    "Logits": "logits",
    "Entries ≥ 0": "entries",
}  # label of the menu -> what `scaling_support.parse` takes
LOGITS, ENTRIES = KINDS


class Preset(NamedTuple):
    """What a matrix is an example of, how its numbers are read (a label of KINDS), and the numbers."""

    help: str
    kind: str
    text: str


_BAND = "\n".join(" ".join(f"{0 - abs(1.2 * i - j) / 2:.3g}" for j in range(16)) for i in range(16))
PRESETS = {
    "As mHC starts": Preset(
        "0 on the diagonal, −6 off it", LOGITS, "0 -6 -6 -6\n-6 0 -6 -6\n-6 -6 0 -6\n-6 -6 -6 0"
    ),
    "Mixed": Preset("Any positive matrix has exactly one scaling", ENTRIES, "4 1 2\n1 3 1\n5 1 1"),
    "Slow": Preset(
        "A nearly triangular matrix: the rate is close to 1", ENTRIES, "1 1 1\n0.02 1 1\n0.02 0.02 1"
    ),
    "Two blocks": Preset("Two scalings side by side", ENTRIES, "1 5 0 0\n3 1 0 0\n0 0 1 4\n0 0 2 1"),
    "Triangle": Preset(
        "Support, but not total: what is above the diagonal goes to 0", ENTRIES, "1 1 1\n0 1 1\n0 0 1"
    ),
    "No support": Preset("Two rows share one column: no scaling exists", ENTRIES, "1 2 3\n0 4 0\n0 5 0"),
    "A row of zeros": Preset("Nothing brings its sum to 1", ENTRIES, "0 0 0\n1 2 3\n4 5 6"),
    "Logits of 1e4": Preset(
        "exp overflows; logarithms do not", LOGITS, "1e4 9999 9998\n9999 1e4 9997\n-1e4 -9999 -9999"
    ),
    "16 × 16": Preset("The largest that is read: logits fall beside a diagonal", LOGITS, _BAND),
}
FIRST = PRESETS["Mixed"]
