"""The part GloVe: how often words meet, the ratios of two words against probes, and vectors that fit log counts."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part

from . import claims, view
from .data import Data
from .state import Ratio

PART = Part(
    Ratio,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.ratios,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.readable, view.refused),
    beneath=(CLAIMS, view.maps, view.fit, BADGES, EQUATION, CODE),
)
