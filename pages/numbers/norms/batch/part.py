"""The parts Norms and Convolution: over which numbers a mean is taken, and what a norm therefore forgets."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later

from . import claims, state, view
from .data import of_digits, of_text

TOKENS = Part(  # a batch of the model's own activations
    state.Tokens,
    of_text,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(CLAIMS, later("beneath-norms", view.beneath), EQUATION, later("norms-python", CODE)),
)
MAPS = Part(  # digits after a convolution; no model reads them
    state.Maps,
    of_digits,
    claims.CLAIMS,
    claims.HINTS_OF_MAPS,
    view.maps,
    notice=claims.NOTICE_OF_MAPS,
    maths=claims.MATHS_OF_MAPS,
    equation=view.EQUATION_MAPS,
    code=view.snippet_of_maps,
    beneath=(CLAIMS, BADGES, EQUATION, later("maps-python", CODE)),
)
