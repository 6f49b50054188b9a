"""The part One step: which way a pair of words moves the vectors, by softmax, by samples, from a mean, down a tree."""

from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, Parts, later

from . import claims, view
from .data import Data
from .state import Step

PART = Parts(
    Step,
    "method",
    {
        method: Part(
            Step,
            Data,
            claims.CLAIMS,
            claims.HINTS,
            view.picture,
            notice=claims.NOTICE[method],
            maths=claims.MATHS[method],
            equation=equation,
            code=view.snippet,
            before=(view.readable, view.refused),
            beneath=(CLAIMS, later("beneath-step", view.costs), BADGES, EQUATION, CODE),
        )
        for method, equation in view.EQUATIONS.items()
    },
    controls=view.controls,
)
