"""What a page says about its picture, each where it is true.

A claim is a function of the page's data that gives a sentence, or None where it does not hold. A page lists its claims
in the order in which they matter: the first that holds stands above the picture, the others below it (`frame.claim`,
`frame.claims`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Claim = Callable[[Any], str | None]


def holding(claims: Sequence[Claim], data: Any) -> dict[str, str]:
    """Name -> sentence of every claim that holds of `data`."""
    said = {claim.__name__: claim(data) for claim in claims}
    return {name: sentence for name, sentence in said.items() if sentence}


def first(claims: Sequence[Claim], data: Any) -> str:
    """The first claim that holds, "" where none does; the ones behind it are not asked."""
    return next((said for claim in claims if (said := claim(data))), "")
