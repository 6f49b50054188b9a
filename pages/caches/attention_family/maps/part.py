"""The part Trained maps: one layer's heads of every model of the family on the same text, then one head of each."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from ..state import Heads
from . import claims, view
from .data import Data

PART = Part(
    Heads,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.layer,
    controls=view.controls,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(later("beneath-maps", view.head, view.table, CLAIMS, BADGES, EQUATION, CODE, seen=False),),
)
