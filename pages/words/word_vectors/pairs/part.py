"""The part Text to pairs: a window slides over the text, and which words stand in it together is counted."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Pairs

PART = Part(
    Pairs,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.readable,),
    beneath=(CLAIMS, later("beneath-pairs", view.below), BADGES, EQUATION, CODE),
)
