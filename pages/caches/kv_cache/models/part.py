"""The part Models: real caches of several models at one length."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from . import claims, data, view
from .state import Compared

PART = Part(
    Compared,
    data.compute,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.notice,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.left_out,),
    beneath=(later("beneath-models", view.table, CLAIMS, EQUATION, CODE, seen=False),),
)
