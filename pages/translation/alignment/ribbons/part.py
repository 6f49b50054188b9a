"""The part Ribbons: attention between the two sentences, which can be moved by hand."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from .. import view as shared
from ..state import Alignment
from . import claims, view
from .data import compute

PART = Part(
    Alignment,
    compute,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    equation=shared.PINNED,
    code=view.snippet,
    before=(view.guessed,),
    beneath=(CLAIMS, later("beneath-ribbons", BADGES, EQUATION, CODE)),
)
