"""The part One row: five ways to the softmax of one row of logits, side by side."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Row

PART = Part(
    Row,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(later("beneath-row", view.results, BADGES, CLAIMS, EQUATION, CODE, seen=False),),
)
