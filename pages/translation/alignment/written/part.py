"""The part Translation: a hypothesis, its attention map, coverage and penalty."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from .. import view as shared
from ..state import Alignment
from . import claims, view
from .data import Data

PART = Part(
    Alignment,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=shared.PENALTY,
    code=view.snippet,
    beneath=(later("beneath-written", CLAIMS, view.score, BADGES, EQUATION, view.overlap, CODE, seen=False),),
)
