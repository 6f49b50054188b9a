"""The part Cost: what self-attention and latents compute, as areas, and measured."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Cost

PART = Part(
    Cost,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(later("beneath-cost", CLAIMS, view.times, EQUATION, CODE),),
)
