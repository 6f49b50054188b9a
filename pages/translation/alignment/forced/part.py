"""The part Force attention: steps pinned to source tokens, and what is written from there."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later

from .. import view as shared
from ..state import Alignment
from . import claims, view
from .data import compute

PART = Part(
    Alignment,
    compute,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    equation=shared.PINNED,
    code=view.snippet,
    before=(view.wait,),
    beneath=(later("beneath-forced", CLAIMS, EQUATION, CODE, seen=False),),
)
