"""The words that several views of the page mHC share."""

from __future__ import annotations

from tlmviz.config import CONNECTIONS

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
