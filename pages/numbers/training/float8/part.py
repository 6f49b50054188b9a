"""The part FP8: steps of training with products in 8 bits, under scales from past steps."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part

from . import claims, view
from .data import Data
from .state import Float8

PART = Part(
    Float8,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(CLAIMS, EQUATION, CODE),
)
