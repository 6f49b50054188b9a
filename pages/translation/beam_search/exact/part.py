"""The part Exact search: the model's own best text beside the beam's, and how many candidates each way looks at."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

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
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.horizon, view.wait),
    beneath=(later("beneath-exact", view.table, BADGES, CLAIMS, EQUATION, CODE, seen=False),),
)
