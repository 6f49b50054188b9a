"""The part Race: beams of several widths that advance together, and a translation that the reader writes against
them."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from .. import view as shared
from ..state import Beam
from . import claims, view
from .data import compute

PART = Part(
    Beam,
    compute,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    notice=claims.NOTICE,
    equation=shared.EQUATION,
    code=view.snippet,
    beneath=(later("beneath-race", CLAIMS, EQUATION, CODE, seen=False),),
)
