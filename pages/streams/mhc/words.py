"""The words that several views of the page mHC share."""

from __future__ import annotations

from tlmviz.config import CONNECTIONS
from tlmviz.figures import number
from tlmviz.ui import inputs

CLAIM = "Several residual streams, and matrices that mix them without amplifying what they hold."
KINDS = {
    "residual": "plain residuals",
    "hyper": "hyper-connections (HC)",
    "manifold": "constrained hyper-connections (mHC)",
}


def missing(family: dict[str, str]) -> str:
    """Which kinds of connection a family, connection -> name, lacks; empty where it lacks none."""
    kinds = [KINDS[kind] for kind in CONNECTIONS if kind not in family]
    if not kinds:
        return ""
    return (
        f"No model of this size with {' or '.join(kinds)} is here; {', '.join(family.values())} can be shown."
    )


def guess(model: str, sublayers: int) -> str:
    """The question before the picture."""
    return (
        f"{inputs.plain(model)} mixes its streams by matrices that nothing holds in bounds. Behind up to {sublayers} of them, "
        "how many times as large as at the start is the embedding carried, where it is carried most?"
    )


def guessed(family: dict[str, str], carried: dict[str, float]) -> str:
    """The largest factor of every model of a family, connection -> name."""
    free = f"{inputs.plain(family['hyper'])} carries it at up to **× {number(carried['hyper'], '.3g')}**"
    others = [
        f"{inputs.plain(family[kind])} at × {number(value, '.3g')}"
        for kind, value in carried.items()
        if kind != "hyper"
    ]
    return f"Over all tokens of this text {'; '.join((free, *others))}."
