"""Numbers as text: one minus sign, and a dash for what is missing."""

from __future__ import annotations

import math
import re

MISSING = "–"
# A hyphen before a digit that neither joins two words or numbers nor is part of a name; and the sign of an exponent.
_HYPHEN = re.compile(r"(?<![\w.\-/])-(?=[\d.∞])|(?<=\de)-(?=\d)")


def number(value: float | None, spec: str = "") -> str:
    """A number in a format of Python's with a minus sign for the hyphens; "–" for None and NaN, ∞ for infinity."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return format(value, spec).replace("-", "−")


def minus(text: str) -> str:
    """A sentence with a minus sign for the hyphen before each negative number; "256-512" and words stay as they are."""
    return _HYPHEN.sub("−", text)
