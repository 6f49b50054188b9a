"""The part Rank-1 pictures: a matrix as a sum of outer products, by columns, by rows, of a product and of the SVD."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Rank

PART = Part(
    Rank,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(CLAIMS, later("beneath-rank", view.needed), BADGES, EQUATION, later("rank-python", CODE)),
)
