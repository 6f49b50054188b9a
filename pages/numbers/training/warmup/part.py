"""The part Warm-up: norms before and after the sublayers, and the first steps that one of them does not survive."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part

from . import claims, view
from .data import Data
from .state import Warmup

PART = Part(
    Warmup,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(CLAIMS, view.own, EQUATION, CODE),
)
