"""The part Memory and time: what tiles save at any length, on any device of the list."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Costs

PART = Part(
    Costs,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(later("beneath-costs", CLAIMS, EQUATION, CODE, seen=False),),
)
