"""Head atlas: what every head does over a whole corpus, the heads that a query names, and the passages each is
strongest in."""

from pages import IN
from pages.workbench.head_atlas import claims, view
from pages.workbench.head_atlas.data import Data
from pages.workbench.head_atlas.examples import examples
from pages.workbench.head_atlas.state import ALL, ONE, Atlas
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, Parts, later, page

PYTHON = later("atlas-python", CODE)
EVERYBODY = Part(
    Atlas,
    Data,
    claims.ALL_CLAIMS,
    claims.HINTS[ALL],
    view.everybody,
    notice=claims.ALL_NOTICE,
    maths=claims.ALL_MATHS,
    equation=view.EQUATIONS[ALL],
    code=view.snippet,
    beneath=(view.open_elsewhere, CLAIMS, EQUATION, PYTHON),
)
SINGLE = Part(
    Atlas,
    Data,
    claims.ONE_CLAIMS,
    claims.HINTS[ONE],
    view.single,
    notice=claims.ONE_NOTICE,
    maths=claims.ONE_MATHS,
    equation=view.EQUATIONS[ONE],
    code=view.snippet,
    beneath=(CLAIMS, BADGES, EQUATION, PYTHON),
)
PART = Parts(Atlas, "view", {ALL: EVERYBODY, ONE: SINGLE}, controls=view.controls)

if __name__ == "__main__":
    page(IN["workbench/head_atlas"], PART, examples)
