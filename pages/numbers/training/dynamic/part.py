"""The part Dynamic scaling: a scale that is found while a model learns."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part

from . import claims, view
from .data import Data
from .state import Dynamic

PART = Part(
    Dynamic,
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
