"""Points of a hull on a static site: the sets that it has, as the app draws them."""

from __future__ import annotations

from typing import Any

from tlmviz.analysis.words.hulls import SCATTERS

from .data import NAME
from .state import Choice

NUMBERS = (5, 8, 10, 24, 50, 100, 200)


def given() -> dict[str, Any]:
    """What site.js begins with: of each kind and number the set of the usual draw. NumPy's other draws only the app
    has."""
    start = {name: control.default for name, control in Choice.controls.items()}
    sets = {
        kind: {number: Choice(**start | {"kind": kind, "number": number}).shown for number in NUMBERS}
        for kind in SCATTERS
    }
    return {"model": NAME, "sets": sets, "seed": Choice.seed.default}
