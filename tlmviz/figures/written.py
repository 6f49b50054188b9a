"""Numbers as text: one minus sign, and a dash for what is missing."""

from __future__ import annotations

import math
import re

MISSING = "–"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LARGE = (("trillion", 1e12), ("billion", 1e9), ("million", 1e6), ("thousand", 1e3))
# A hyphen before a digit that neither joins two words or numbers nor is part of a name; and an exponent.
_HYPHEN = re.compile(r"(?<![\w.\-/])-(?=[\d.∞])")
_EXPONENT = re.compile(r"(?<=\d)e([-+]?\d+)\b")


def number(value: float | None, spec: str = "") -> str:
    """A number in a format of Python's with a minus sign and powers of ten: −3.1·10⁻⁹; "–" for None and NaN, ∞ for
    infinity."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return minus(format(value, spec))


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


def minus(text: str) -> str:
    """A sentence with a minus sign before each negative number, and powers of ten; "256-512" and words stay as they
    are."""
    return _HYPHEN.sub("−", _EXPONENT.sub(lambda found: f"·10{str(int(found[1])).translate(RAISED)}", text))
