"""The part Calculator: bytes of any published or bundled shape at any batch, length and format."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Deployment

PART = Part(
    Deployment,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.servable,),
    beneath=(later("beneath-calculator", view.about, BADGES, view.table, CLAIMS, EQUATION, CODE, seen=False),),
)
