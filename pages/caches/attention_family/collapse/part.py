"""The part One head for all: when several heads are one, and what between two matrices ends that."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, Part, later

from . import claims, view
from .data import Data
from .state import Lemma

PART = Part(
    Lemma,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.maps,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    code=view.snippet,
    beneath=(later("beneath-collapse", view.caption, CLAIMS, view.turning, BADGES, view.equations, CODE, seen=False),),
)
