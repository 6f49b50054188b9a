"""Learning: how the heads of a training came into being, step by step, whoever trained."""

from pages import IN
from pages.attention.learning import claims, view
from pages.attention.learning.data import Data
from pages.attention.learning.examples import examples
from pages.attention.learning.state import Learning
from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later, page

PART = Part(
    Learning,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(view.open_elsewhere, CLAIMS, EQUATION, later("learning-python", CODE)),
)

if __name__ == "__main__":
    page(IN["attention/learning"], PART, examples)
