"""The view Flow: streams through all sublayers, and the constrained model with other Sinkhorn iterations."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from .. import guess
from .. import view as shared
from ..state import Streams
from . import claims, view
from .data import Data

PART = Part(
    Streams,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(guess.seen,),
    beneath=(later("beneath-flow", CLAIMS, view.iterations, shared.note_missing, BADGES, EQUATION, CODE),),
)
