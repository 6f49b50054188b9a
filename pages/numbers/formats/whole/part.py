"""The part Whole model: a model's pass with matrices chosen by hand in few bits, and what it costs."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part

from ..product.view import EQUATION as SCALES
from . import claims, view
from .data import Data
from .state import Whole

PART = Part(
    Whole,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=SCALES,
    code=view.snippet,
    before=(view.wait,),
    beneath=(CLAIMS, view.beneath, BADGES, EQUATION, CODE),
)
