"""The part Latent attention: the parts of a head's score, the absorbed matrices, and what RoPE would do in their
place."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from ..state import Heads
from . import claims, view
from .data import Data

PART = Part(
    Heads,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.scores,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(later("beneath-latent", view.folding, view.turning, CLAIMS, BADGES, EQUATION, CODE, seen=False),),
)
