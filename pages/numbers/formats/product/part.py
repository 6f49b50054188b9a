"""The part One product: what a format of few bits leaves of one product when a scale serves a tensor, a channel or a
block."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Product

PART = Part(
    Product,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(CLAIMS, later("beneath-scaling", view.shared_scales, BADGES), EQUATION, later("scaling-python", CODE)),
)
