"""The part Words of a text: which of them a model with a pointer copies from the text itself."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from ..state import Choice
from . import claims, view
from .data import Data

PART = Part(
    Choice,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.readable,),
    beneath=(CLAIMS, later("beneath-pointers", view.losses, BADGES, EQUATION, CODE)),
)
