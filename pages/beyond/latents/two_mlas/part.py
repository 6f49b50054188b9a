"""The part Two MLAs: a latent array beside DeepSeek's latent attention."""

from tlmviz.ui.part import CLAIMS, CODE, Part

from . import claims, view
from .data import Data
from .state import Text

PART = Part(
    Text,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    code=view.snippet,
    beneath=(CLAIMS, view.table, view.equations, CODE),
)
