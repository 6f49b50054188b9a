"""Numbers as text: one minus sign, and a dash for what is missing."""

from __future__ import annotations

import math
import re

MISSING = "–"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LARGE = (("trillion", 1e12), ("billion", 1e9), ("million", 1e6), ("thousand", 1e3))
# A hyphen before a digit that neither joins two words or numbers nor is part of a name; and the sign of an exponent.
_HYPHEN = re.compile(r"(?<![\w.\-/])-(?=[\d.∞])|(?<=\de)-(?=\d)")


def number(value: float | None, spec: str = "") -> str:
    """A number in a format of Python's with a minus sign for the hyphens; "–" for None and NaN, ∞ for infinity."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return format(value, spec).replace("-", "−")


def percent(share: float) -> str:
    """A share in whole per cent."""
    return number(float(share), ".0%")


def large(value: float | None) -> str:
    """A count of any size in three digits and a word: 840, 12.3 thousand, 9.67 billion; "–" for None and NaN."""
    if value is None or math.isnan(value):
        return MISSING
    for word, size in LARGE:
        if abs(value) >= 0.9995 * size:
            return f"{number(float(f'{value / size:.3g}'), ',.15g')} {word}"
    return number(value, ".3g")


def power_of_ten(value: float, digits: int = 3) -> str:
    """A finite number other than 0 with its power of ten: 1.45·10⁻⁸."""
    head, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{number(float(head), f'.{digits - 1}f')}·10{str(int(exponent)).translate(RAISED)}"


def minus(text: str) -> str:
    """A sentence with a minus sign for the hyphen before each negative number; "256-512" and words stay as they are."""
    return _HYPHEN.sub("−", text)
