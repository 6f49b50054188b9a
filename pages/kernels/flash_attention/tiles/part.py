"""The part Tiles: one head's attention, tile by tile, with the kernel's lines beside it."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Tiles

PART = Part(
    Tiles,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(later("beneath-tiles", view.kernel, BADGES, CLAIMS, EQUATION, CODE, seen=False),),
)
