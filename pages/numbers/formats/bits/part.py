"""The part One number: its bits to click, and what every format makes of it; a model's numbers in the chosen format."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from .. import guess
from . import claims, view
from .data import Data
from .state import Bits

PART = Part(
    Bits,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(guess.seen,),
    beneath=(CLAIMS, view.loaded, view.table, EQUATION, later("formats-python", CODE)),
)
