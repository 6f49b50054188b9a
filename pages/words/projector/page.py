"""Projector: all vectors of a model in a plane, their training as a film, and analogies."""

from pages import IN
from pages.words.projector import claims, view
from pages.words.projector.data import Data
from pages.words.projector.examples import examples
from pages.words.projector.state import ANALOGIES, FILM, MAP, Projector
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, Parts, later, page

MAPPED, FILMED = (
    Part(
        Projector,
        Data,
        claims.CLAIMS[name],
        claims.HINTS[name],
        view.picture,
        notice=claims.NOTICE[name],
        maths=claims.MATHS,
        equation=view.EQUATION_MAP,
        code=view.snippet,
        before=(view.filmed, view.wait),
        beneath=(later("beneath-projector", CLAIMS, BADGES, EQUATION, CODE),),
    )
    for name in (MAP, FILM)
)
ASKED = Part(
    Projector,
    Data,
    claims.CLAIMS[ANALOGIES],
    claims.HINTS[ANALOGIES],
    view.analogy,
    notice=claims.NOTICE[ANALOGIES],
    equation=view.EQUATION_ANALOGY,
    code=view.snippet_analogy,
    before=(view.wait,),
    beneath=(CLAIMS, view.counted, BADGES, EQUATION, CODE),
)
PART = Parts(Projector, "view", {MAP: MAPPED, FILM: FILMED, ANALOGIES: ASKED}, controls=view.controls)

if __name__ == "__main__":
    page(IN["words/projector"], PART, examples)
