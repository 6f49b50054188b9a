"""The part Dropout: masks thrown by a die, what their mean gives back, and what they do to the loss."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, view
from .data import Data
from .state import Dropout

PART = Part(
    Dropout,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(CLAIMS, later("beneath-dropout", view.losses, BADGES), EQUATION, later("dropout-python", CODE)),
)
