"""The part With and without coverage: a model with a coverage vector beside one without."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Twins

PART = Part(
    Twins,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.maps,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.named,),
    beneath=(later("beneath-twins", view.repetitions, CLAIMS, EQUATION, CODE, seen=False),),
)
