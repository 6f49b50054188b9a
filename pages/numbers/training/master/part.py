"""The part Master weights: updates that a format does not see, and the copy that takes up all of them."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part

from . import claims, view
from .data import Data
from .state import Master

PART = Part(
    Master,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.refused,),
    beneath=(CLAIMS, view.real_step, EQUATION, CODE),
)
