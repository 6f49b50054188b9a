"""Why it looks there: one score as a sum over sources, what the head then writes, and the way back through earlier
heads."""

from pages import IN
from pages.workbench.why import claims, guess, view
from pages.workbench.why.data import Data
from pages.workbench.why.examples import examples
from pages.workbench.why.state import HEADS, SCORE, Why
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, Parts, later, page

BENEATH = (view.further, CLAIMS, BADGES, EQUATION, later("why-python", CODE))
ONE_SCORE = Part(
    Why,
    Data,
    claims.SCORE_CLAIMS,
    claims.HINTS[SCORE],
    view.score,
    notice=claims.SCORE_NOTICE,
    maths=claims.SCORE_MATHS,
    equation=view.EQUATIONS[SCORE],
    code=view.snippet,
    before=(guess.seen,),
    beneath=BENEATH,
)
PAIRS = Part(
    Why,
    Data,
    claims.HEADS_CLAIMS,
    claims.HINTS[HEADS],
    view.heads,
    notice=claims.HEADS_NOTICE,
    maths=claims.HEADS_MATHS,
    equation=view.EQUATIONS[HEADS],
    code=view.snippet,
    beneath=BENEATH,
)
PART = Parts(Why, "view", {SCORE: ONE_SCORE, HEADS: PAIRS}, controls=view.controls)

if __name__ == "__main__":
    page(IN["workbench/why"], PART, examples)
