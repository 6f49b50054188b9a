"""The part Morph: keys and values merge into groups, into one, into a latent; what each keeps and costs."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from .. import guess
from . import claims, view
from .data import Data
from .state import Morph

PART = Part(
    Morph,
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
    beneath=(later("beneath-morph", view.caption, view.matrices, CLAIMS, BADGES, EQUATION, CODE, seen=False),),
)
