"""The parts Scores, Logits and Isotropy: sums of many numbers grow with their number, and what training adds."""

from tlmviz.ui.part import Part

from .. import guess
from . import claims, view
from .data import Data
from .state import Spreads

SCORES = Part(
    Spreads,
    Data,
    claims.OF_SCORES,
    claims.HINTS,
    view.scores,
    controls=view.with_head,
    notice=claims.NOTICE_OF_SCORES,
    maths=claims.MATHS_OF_SCORES,
    equation=view.EQUATION_OF_SCORES,
    code=view.snippet_of_scores,
    before=(guess.seen,),
)
LOGITS = Part(
    Spreads,
    Data,
    claims.OF_LOGITS,
    claims.HINTS,
    view.logits,
    controls=view.controls,
    maths=claims.MATHS_OF_LOGITS,
    equation=view.EQUATION_OF_LOGITS,
    code=view.snippet_of_logits,
)
ISOTROPY = Part(
    Spreads,
    Data,
    claims.OF_ISOTROPY,
    claims.HINTS_OF_ISOTROPY,
    view.directions,
    controls=view.controls,
    notice=claims.NOTICE_OF_ISOTROPY,
    maths=claims.MATHS_OF_ISOTROPY,
    equation=view.EQUATION_OF_ISOTROPY,
    code=view.snippet_of_isotropy,
)
