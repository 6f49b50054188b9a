"""The part Gradients: gradients against a format's floor, and the scale that lifts them over it."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Gradients

PART = Part(
    Gradients,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.wait,),
    beneath=(CLAIMS, later("beneath-scaling", view.in_half), EQUATION, later("gradients-python", CODE)),
)
