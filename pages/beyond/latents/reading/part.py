"""The part Reading digits: a picture of nine digits, picked or drawn, and where every latent looks."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, Part, later

from . import claims, view
from .data import Data
from .state import Reading

PART = Part(
    Reading,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    code=view.snippet,
    beneath=(later("beneath-latents", CLAIMS, view.quality, BADGES, view.equations, CODE),),
)
