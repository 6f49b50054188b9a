"""The part Write or copy: a model with a pointer beside its twin without, on a sentence with a name that nobody saw."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Pointing

PART = Part(
    Pointing,
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
    beneath=(later("beneath-copied", CLAIMS, BADGES, EQUATION, CODE, seen=False),),
)
