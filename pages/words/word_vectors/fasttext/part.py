"""The part FastText: any word taken apart into n-grams, and what lies near it."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part

from . import claims, view
from .data import Data
from .state import Word

PART = Part(
    Word,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.parts,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.readable,),
    beneath=(CLAIMS, view.spelling, BADGES, EQUATION, CODE),
)
