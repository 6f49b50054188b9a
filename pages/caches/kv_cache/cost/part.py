"""The part Cost: time, measured, and operations, by formula, with the cache and without."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from ..state import Cache
from . import claims, view
from .data import Data

PART = Part(
    Cache,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.wait,),
    beneath=(later("beneath-cost", view.table, CLAIMS, EQUATION, CODE, seen=False),),
)
