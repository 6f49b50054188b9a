"""The part Models: real caches of several models at one length."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Compared

PART = Part(
    Compared,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.left_out,),
    beneath=(later("beneath-models", view.table, CLAIMS, EQUATION, CODE, seen=False),),
)
