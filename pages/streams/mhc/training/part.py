"""The view Training: the curves of a family, and its matrices at moments of the training."""

from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part

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
    before=(view.logged,),
    beneath=(shared.note_missing, CLAIMS, EQUATION, CODE),
)
